"""Shares of a budget: nothing is lost or given twice, and none has too much while another has too little."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penwright.domain.scene.envelope.sharing import allotted, filled, rooms
from schemas.worlds import Shares

PARTS = ("history", "lore", "memories", "notes")
NUMBERS = st.fixed_dictionaries(dict.fromkeys(PARTS, st.integers(0, 500)))
SPACES = st.integers(0, 1_500)


def test_the_default_shares_are_the_percentages_rounded_down() -> None:
    assert allotted(999, Shares().model_dump()) == {
        "history": 299,
        "summaries": 99,
        "lore": 149,
        "memories": 199,
        "notes": 99,
        "director_guidance": 49,
        "character_guidance": 99,
    }


def test_an_absent_sections_share_goes_to_the_others_in_proportion() -> None:
    assert allotted(1_000, {"history": 30, "lore": 15, "memories": 5}) == {
        "history": 600,
        "lore": 300,
        "memories": 100,
    }


@given(SPACES, NUMBERS)
def test_shares_never_exceed_the_space_and_only_rounding_is_left(space: int, weights: dict[str, int]) -> None:
    shares = allotted(space, weights)

    assert 0 <= space - sum(shares.values()) < len(PARTS) or not any(weights.values())


@given(SPACES, NUMBERS, NUMBERS)
def test_all_is_given_on_until_all_is_used_or_nothing_more_is_wanted(
    space: int, weights: dict[str, int], wants: dict[str, int]
) -> None:
    given_ = filled(space, weights, wants)

    assert set(given_) == set(PARTS)
    assert all(0 <= given_[part] <= wants[part] for part in PARTS)
    assert sum(given_.values()) == min(space, sum(wants[part] for part in PARTS if weights[part]))


@given(SPACES, NUMBERS, NUMBERS)
def test_a_section_gets_less_than_its_share_only_if_it_wants_less(
    space: int, weights: dict[str, int], wants: dict[str, int]
) -> None:
    shares, given_ = allotted(space, weights), filled(space, weights, wants)

    assert all(given_[part] >= min(wants[part], shares[part]) for part in PARTS)


@given(SPACES, NUMBERS, NUMBERS, st.integers(0, 500))
def test_what_history_must_have_is_taken_from_the_others_by_their_shares(
    space: int, weights: dict[str, int], wants: dict[str, int], least: int
) -> None:
    least = min(least, space, wants["history"])
    fair, given_ = filled(space, weights, wants), rooms(space, weights, wants, {"history": least})

    assert given_["history"] == max(least, fair["history"])
    assert sum(given_.values()) <= space
    others = {part: weight for part, weight in weights.items() if part != "history"}
    if least > fair["history"]:
        assert {part: given_[part] for part in others} == filled(space - least, others, wants)


@pytest.mark.parametrize(("space", "expected"), [(2, [1, 1, 0]), (3, [1, 1, 1]), (27, [9, 9, 9])])
def test_tokens_that_rounding_left_are_handed_out_one_by_one(space: int, expected: list[int]) -> None:
    assert filled(space, dict.fromkeys("abc", 1), dict.fromkeys("abc", 9)) == dict(
        zip("abc", expected, strict=True)
    )
