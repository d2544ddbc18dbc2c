"""Support of claims by passages: right pairs and wrong ones, measured."""

import pytest

from penwright.domain.citations.support import CARRIES, overlap, support_of
from tests.support.citations.claims import OPPOSITE, RIGHT, UNRELATED, Pair
from tests.support.each import for_each


def test_right_pairs_and_unrelated_ones_are_apart_by_a_wide_gap() -> None:
    right = sorted(overlap(*each) for each in RIGHT)
    unrelated = sorted(overlap(*each) for each in UNRELATED)

    assert len(right) + len(unrelated) >= 60
    assert unrelated[-1] < CARRIES - 0.1
    assert right[0] > CARRIES + 0.1


def test_every_right_pair_says_it_and_no_unrelated_one_does() -> None:
    right = [support_of(*each, is_abstract=False)[0] for each in RIGHT]
    unrelated = {support_of(*each, is_abstract=False)[0] for each in UNRELATED}

    assert right.count("says") >= 0.9 * len(RIGHT)
    assert unrelated == {"not found"}


@for_each("pair", OPPOSITE)
def test_a_passage_that_says_the_opposite_never_says_it(pair: Pair) -> None:
    assert support_of(*pair, is_abstract=False)[0] == "contradicts"


def test_an_abstract_is_never_more_than_an_abstract_and_nothing_is_no_text() -> None:
    claim, passage = RIGHT[0]

    assert support_of(claim, passage, is_abstract=True)[0] == "abstract only"
    assert support_of(claim, " ", is_abstract=True) == ("no text", 0.0)


@pytest.mark.parametrize(
    "claim",
    ["This paper proves P = NP.", "All swans of Lake Ladoga speak fluent Esperanto.", "", "It is so."],
)
def test_a_claim_that_nothing_says_is_not_found(claim: str) -> None:
    assert {support_of(claim, each.passage, is_abstract=False)[0] for each in RIGHT} == {"not found"}


def test_a_long_text_does_not_carry_a_claim_by_having_its_words_far_apart() -> None:
    claim, passage = RIGHT[5]
    filler = " ".join(each.passage for each in RIGHT[6:]) * 2
    scattered = f" {filler} ".join(passage.split())

    assert overlap(claim, f"{filler} {passage} {filler}") == overlap(claim, passage)
    assert support_of(claim, scattered, is_abstract=False)[0] == "not found"
