"""The demo model takes a manuscript from one line to accepted citations, through the workflows and git."""

import re
from pathlib import Path

import pytest
from temporalio.testing import WorkflowEnvironment

from penwright.adapters.models.demo.model import DemoProvider
from penwright.adapters.models.demo.topics import claim_in, claims_about
from penwright.adapters.models.scripted import ScriptedProvider
from penwright.adapters.scholarly.recorded import recorded_sources
from penwright.domain.citations.sentences import sentences_of
from penwright.domain.text.inline_citations import find_citations
from tests.support.citations.desk import scan_desk
from tests.support.manuscripts.studio import studio

LINE = "Write a 400-word review of how deep learning changed the prediction of protein structures."
OWN = "I begin with my own words [[@book{own2001trust, title={Trust}}]]."


async def test_one_line_becomes_a_finished_manuscript_with_statements_worth_citing(
    temporal_env: WorkflowEnvironment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with studio(temporal_env.client, tmp_path) as here:
        monkeypatch.setattr(here.cast, "complete", DemoProvider().complete)

        ended = await here.run(here.given(LINE))

        assert (ended.outcome, ended.stop, ended.cost_micros) == ("finished", "finished", 0)
        titles = re.findall(r"^## (.+)$", here.text, re.MULTILINE)
        assert titles == ["Introduction", "Background", "What is known", "Conclusion"]
        assert len([each for each in re.split(r"(?<=[.!?])\s+", here.text) if claim_in(each)]) >= 4
        assert here.row.format_guidance.startswith("### Blueprint")
        assert {each.models for each in here.calls} == {("demo",)}


async def test_with_sources_it_cites_what_they_say_and_marks_what_none_of_them_does(
    temporal_env: WorkflowEnvironment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with studio(temporal_env.client, tmp_path) as here:
        monkeypatch.setattr(here.cast, "complete", DemoProvider().complete)
        here.registries.records = recorded_sources().records
        here.shelf.passages = ()

        ended = await here.run(here.sourced(instructions="An essay on why findings fail to replicate."))

        assert ended.outcome == "finished"
        cited = {each.key for each in find_citations(here.text).citations}
        assert {"ioannidis2005most"} <= cited
        claims = [each for each in sentences_of(here.text) if claim_in(each.text)]
        assert all(each.citations or "[no source]" in each.text for each in claims)
        assert re.search(r"\[\d+\]", here.text) is None


@pytest.mark.long
async def test_what_an_author_wrote_stays_word_for_word(
    temporal_env: WorkflowEnvironment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = f"# On trust\n\n## Introduction\n\n{OWN}\n\n## Conclusion\n"
    async with studio(temporal_env.client, tmp_path, text) as here:
        monkeypatch.setattr(here.cast, "complete", DemoProvider().complete)

        ended = await here.run(here.given("On trust in research, 300 words"))

        assert ended.outcome == "finished", ended.message
        assert OWN in here.text
        titles = re.findall(r"^## (.+)$", here.text, re.MULTILINE)
        assert titles == ["Introduction", "Background", "What is known", "Conclusion"]


async def test_its_statements_are_cited_from_recorded_works_and_a_rescan_changes_nothing(
    temporal_env: WorkflowEnvironment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        ScriptedProvider, "ask", lambda _, request, hear=None: DemoProvider().ask(request, hear)
    )
    claims = claims_about(LINE)[:4]
    text = "## What is known\n\nIt is a long story. " + " ".join(each.sentence for each in claims) + "\n"
    records = recorded_sources().records
    async with scan_desk(temporal_env.client, tmp_path, text=text, records=records, answers=()) as desk:
        first = await desk.run(auto_accept=True)
        once = desk.novel.committed
        await desk.run("s2", auto_accept=True)

    assert (first.outcome, first.counts.accepted, first.counts.applied) == ("done", len(claims), len(claims))
    for each in claims:
        assert re.search(re.escape(each.sentence) + r" \[\[@\w+\{", once)
    assert desk.novel.committed == once
