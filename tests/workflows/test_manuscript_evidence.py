"""Research before prose: passages are gathered for each section, and numbers become citations."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from temporalio.testing import WorkflowEnvironment

from penwright.domain.text.inline_citations import find_citations
from penwright.errors import StoreUnavailable
from penwright.roles.book_text import read_book_texts
from schemas.scholarly import Outage
from tests.support.books.repos import git
from tests.support.manuscripts.studio import Studio, append, edit, scored, studio

INTRODUCTION = "# Introduction\n\nThe tide comes in twice a day [1]. It was counted [2, 9]."
METHOD = "# Method\n\nWe asked the miller of the third pool. [no source]"


@pytest.fixture
async def here(temporal_env: WorkflowEnvironment, tmp_path: Path) -> AsyncIterator[Studio]:
    async with studio(temporal_env.client, tmp_path) as opened:
        opened.cast.scripts["writer"] = iter([append(INTRODUCTION), append(METHOD)])
        yield opened


def keys_in(text: str) -> list[str]:
    return [each.key for each in find_citations(text).citations]


async def test_a_paper_is_written_from_passages_and_its_numbers_become_entries(here: Studio) -> None:
    ended = await here.run(here.sourced())

    assert ended.outcome == "finished"
    assert keys_in(here.text) == ["hill1907hours", "orr2019tides"]
    assert "year = {1907}}]]." in here.text
    assert "doi = {10.5555/rance}" in here.text
    assert "We asked the miller of the third pool [no source]." in here.text
    assert here.actions[2:7] == [
        ("generate_plan", "done"),
        ("gather_evidence", "done"),
        ("write_section", "unknown-numbers"),
        ("gather_evidence", "done"),
        ("write_section", "done"),
    ]
    told = {each.action: each.summary for each in here.entries}
    assert told["gather_evidence"] == "'Method': 1 passage of own sources, 1 abstract."
    assert "Left out, as no passage has the number: [9]." in here.entries[4].summary
    assert here.shelf.asked == [f"Tides. {title}. What it says." for title in ("Introduction", "Method")]


async def test_the_writer_is_shown_the_passages_as_material_with_their_numbers(here: Studio) -> None:
    await here.run(here.sourced())

    (first, _) = here.cast.prompts_of("writer")
    (shown,) = (each.text for each in read_book_texts(first) if each.kind == "evidence")
    assert shown.startswith("[1] Hill: The hours of the tide (1907, p. 12, Twice daily)\nNobody sleeps well")
    assert "\n\n[2] Orr: Tides of the Rance (2019)\nThe tides of the Rance" in shown


async def test_a_source_that_is_out_stops_nothing_and_the_history_names_it(here: Studio) -> None:
    here.registries.outages["crossref"] = Outage(source="crossref", reason="unreachable")
    here.shelf.breaks.append(StoreUnavailable("store-away", "the store does not answer"))

    ended = await here.run(here.sourced())

    assert ended.outcome == "finished"
    assert keys_in(here.text) == ["hill1907hours"]
    (first, *_) = [each for each in here.entries if each.action == "gather_evidence"]
    assert first.code == "sources-not-asked"
    assert "Could not be asked: crossref (unreachable)." in first.summary
    assert "Could not be asked: crossref (unreachable)." in here.cast.prompts_of("writer")[0]


async def test_a_run_without_evidence_asks_no_source_and_numbers_stay_as_they_are(here: Studio) -> None:
    await here.run()

    assert here.shelf.asked == []
    assert "twice a day [1]." in here.text
    assert "What sources say" not in here.cast.prompts_of("writer")[0]


async def test_a_reviser_rewords_a_cited_sentence_and_cannot_drop_its_citation(here: Studio) -> None:
    entry = "[[@book{hill1907hours, author = {Hill, A.}, title = {The hours of the tide}, year = {1907}}]]"
    here.cast.scripts["critic"] = iter([scored(0.5, "Be brief."), scored(0.9)])
    here.cast.scripts["reviser"] = iter(
        [
            edit(f"The tide comes in twice a day {entry}.", "It comes twice."),
            edit(f"The tide comes in twice a day {entry}.", f"It comes twice {entry}."),
        ]
    )

    await here.run(here.sourced())

    assert f"It comes twice {entry}." in here.text
    assert "citation" in here.cast.prompts_of("reviser")[1]
    assert git(here.novel.folder, "log", "-1", "--format=%s") == "Revise manuscript.md"
