"""Works looked up by hand: what is asked of registries, what may be asked for, what is kept beside."""

import pytest

from penwright.domain.citations.scanning import searching
from schemas.base import Cause
from schemas.citations import (
    CitationChange,
    CitationProposal,
    CitationTarget,
    FoundWork,
    ProposalState,
    TargetStanding,
)
from schemas.scholarly import EditorialNotice, Reference, ScholarlyRecord
from tests.support.each import for_each

TARGET = CitationTarget(number=3, kind="insert", sentence=9, text="The water rises.", reason="a finding")


def work(number: int) -> FoundWork:
    return FoundWork(source="crossref", doi=f"10.5555/w.{number}", title=f"Work {number}")


@pytest.mark.parametrize(
    ("words", "kind", "value"),
    [
        ("https://doi.org/10.5555/Tides.7", "doi", "10.5555/tides.7"),
        (" 10.5555/tides.7 ", "doi", "10.5555/tides.7"),
        ("arXiv:2101.00001v2", "arxiv", "2101.00001"),
    ],
)
def test_an_identifier_is_resolved(words: str, kind: str, value: str) -> None:
    wanted = searching.by_words(3, words)

    assert [(each.kind, each.value) for each in wanted.identifiers] == [(kind, value)]
    assert wanted.query is None


@pytest.mark.parametrize("words", ["tides of  the\nnorth", "1999", "10.5555"])
def test_all_else_is_searched_for(words: str) -> None:
    wanted = searching.by_words(3, words)

    assert wanted.identifiers == ()
    assert wanted.query is not None
    assert wanted.query.text == " ".join(words.split())


def test_a_work_without_identifiers_is_looked_up_by_its_title() -> None:
    wanted = searching.for_work(3, Reference(title="Tides", year=2020))

    assert wanted.query is not None
    assert (wanted.query.title, wanted.query.year, wanted.query.text) == ("Tides", 2020, "")


@for_each(
    "state, code",
    [
        *((state, None) for state in ("proposed", "verified", "rejected", "failed")),
        *((state, "not-waiting") for state in ("accepted", "found", "skipped")),
    ],
)
def test_only_what_is_not_settled_is_given_another_work(state: ProposalState, code: str | None) -> None:
    refusal = searching.unsearchable([TargetStanding(number=3, state=state)], searching.by_words(3, "tides"))

    assert (refusal[0] if refusal else None) == code


def test_a_sentence_with_citations_and_one_that_is_not_there_are_refused() -> None:
    cited = CitationProposal(target=TARGET.model_copy(update={"kind": "verify"}))
    missing = searching.unsearchable([], searching.by_words(3, "tides"))

    assert searching.not_an_insertion(CitationProposal(target=TARGET)) is None
    assert (searching.not_an_insertion(cited) or ("",))[0] == "cited-already"
    assert (missing or ("",))[0] == "unknown-target"


def test_what_was_proposed_before_can_be_chosen_again() -> None:
    before = CitationProposal(
        target=TARGET, state="verified", change=CitationChange(after="x", works=(work(1),)), others=(work(2),)
    )
    made = CitationProposal(target=TARGET, change=CitationChange(after="y", works=(work(2),)))

    kept = searching.with_others(made, [work(2), work(3)], before)

    assert [each.doi for each in kept.others] == ["10.5555/w.3", "10.5555/w.1"]


def test_a_search_that_finds_nothing_leaves_the_proposal_and_says_so() -> None:
    before = CitationProposal(target=TARGET, state="verified", change=CitationChange(after="x"))

    kept = searching.as_before(before, Cause(code="NOTHING_FOUND", message="no source has a work"))

    assert (kept.state, kept.change) == ("verified", before.change)
    assert "no source has a work" in kept.message


def test_a_list_of_works_is_bounded_and_a_retracted_one_is_marked() -> None:
    many = searching.others([work(number) for number in range(40)], [])
    notice = EditorialNotice(kind="retraction", source="crossref")
    shown = searching.shown(
        ScholarlyRecord(source="crossref", title="t" * 5_000, abstract="a" * 5_000, notices=(notice,))
    )

    assert len(many) == searching.MOST_OTHERS
    assert shown.retracted
    assert len(shown.model_dump_json()) < 1_000
