"""Support of claims by what a work says: right pairs and wrong ones, measured."""

from collections.abc import Iterable

import pytest

from penwright.domain.citations.support.comparing import (
    ABOUT,
    CARRIES,
    overlap,
    support_by_abstract,
    support_in,
)
from schemas.citations import ClaimSupport
from schemas.library import LibraryPassage
from schemas.scholarly import Author, Reference, ScholarlyRecord
from tests.support.citations.claims import OPPOSITE, RIGHT, UNRELATED, Pair
from tests.support.citations.near_claims import NEARLY, SAID, TURNED
from tests.support.each import for_each

WORK = Reference(title="Notes on something else altogether", authors=(Author(family="Hill"),), year=2018)


def read(text: str, **fields: object) -> LibraryPassage:
    given = {"source": "hill.pdf", "number": 1, "page": 4, "section": "Results", "text": text, **fields}
    return LibraryPassage.model_validate(given)


def said(pair: Pair) -> ClaimSupport:
    return support_in(pair.claim, WORK, [read(pair.passage)])


def kinds(pairs: Iterable[Pair]) -> list[str]:
    return [said(each).support for each in pairs]


def test_right_pairs_and_unrelated_ones_are_apart_by_a_wide_gap() -> None:
    right = sorted(overlap(*each) for each in RIGHT)
    unrelated = sorted(overlap(*each) for each in UNRELATED)

    assert unrelated[-1] < ABOUT - 0.1
    assert right[0] > ABOUT + 0.1


def test_nine_right_claims_of_ten_are_said_and_no_unrelated_one_is() -> None:
    right = kinds([*RIGHT, *SAID])

    assert len(right) >= 60
    assert right.count("says") >= 0.9 * len(right)
    assert set(kinds(UNRELATED)) == {"not found"}


@for_each("kind", NEARLY)
def test_a_claim_that_a_passage_nearly_says_is_never_said(kind: str) -> None:
    """Another number, another name, the contrary, a doubt, less than the claim, a title."""
    said_of = dict(zip((each.claim for each in NEARLY[kind]), kinds(NEARLY[kind]), strict=True))

    assert [claim for claim, support in said_of.items() if support == "says"] == []
    if kind in TURNED:
        assert list(said_of.values()).count("contradicts") >= 0.8 * len(said_of)


@for_each("pair", OPPOSITE)
def test_a_passage_that_says_the_opposite_contradicts(pair: Pair) -> None:
    assert said(pair).support == "contradicts"


@for_each("pair", [*RIGHT, *SAID, *OPPOSITE])
def test_what_is_said_or_denied_has_its_words_from_the_page(pair: Pair) -> None:
    found = said(pair)

    if found.support == "not found":
        assert found.quote is None
        return
    assert found.quote is not None
    assert found.quote.quote in pair.passage
    assert (found.quote.source, found.quote.page, found.quote.section) == ("hill.pdf", 4, "Results")
    assert found.support == "contradicts" or overlap(pair.claim, found.quote.quote) >= CARRIES


def test_a_list_of_references_and_a_title_say_nothing() -> None:
    claim = "Copper surfaces kill bacteria within hours."
    listed = read(claim, is_reference_list=True)
    titled = WORK.model_copy(update={"title": "Copper surfaces kill bacteria within hours"})
    front = read("Copper Surfaces Kill Bacteria\nwithin Hours\nAnn Lee, 2019\n\nWe swabbed forty handles.")
    headed = read(f"{claim[:-1]}. We swabbed forty handles.", section=claim[:-1])

    assert support_in(claim, WORK, [listed, read("We swabbed forty handles.")]).support == "not found"
    assert support_in(claim, titled, [front]).support == "not found"
    assert support_in(claim, WORK, [headed]).support == "not found"
    assert support_in(claim, WORK, [headed, read(claim, number=2)]).support == "says"


def test_an_abstract_is_never_more_than_an_abstract_and_nothing_is_no_text() -> None:
    claim, passage = RIGHT[0]
    record = ScholarlyRecord(source="crossref", title="Tides", abstract=passage)
    silent = record.model_copy(update={"abstract": " "})

    found = support_by_abstract(claim, record)

    assert (found.support, found.quote and (found.quote.source, found.quote.quote)) == (
        "abstract only",
        ("crossref", passage),
    )
    assert support_by_abstract(claim, silent).support == "no text"


@pytest.mark.parametrize(
    "claim",
    ["This paper proves P = NP.", "All swans of Lake Ladoga speak fluent Esperanto.", "", "It is so."],
)
def test_a_claim_that_nothing_says_is_not_found(claim: str) -> None:
    assert {said(Pair(claim, each.passage)).support for each in [*RIGHT, *SAID]} == {"not found"}


def test_words_far_apart_in_a_long_text_say_nothing() -> None:
    claim, passage = RIGHT[5]
    filler = " ".join(each.passage for each in RIGHT[6:])
    scattered = f" {filler} ".join(passage.split())

    assert said(Pair(claim, f"{filler} {passage} {filler}")) == said(RIGHT[5])
    assert said(Pair(claim, scattered)).support == "not found"


def test_an_author_need_not_name_himself() -> None:
    claim = "As Hill (2018) shows, guilds slowed trade in Bruges."

    assert said(Pair(claim, "Guilds slowed trade in Bruges.")).support == "says"
    assert said(Pair(claim, "Guilds slowed trade in Ghent.")).support == "not found"


def test_two_sentences_say_it_together_if_the_second_speaks_of_the_first() -> None:
    claim = "Wolves reduced the number of foxes in the park."
    told = "Wolves came back to the park in spring. They reduced the number of foxes."
    apart = "Wolves came back to the park in spring. Traps reduced the number of foxes."

    found = said(Pair(claim, f"We waited. {told} Deer fled."))

    assert (found.support, found.quote and found.quote.quote) == ("says", told)
    assert said(Pair(claim, apart)).support == "not found"
