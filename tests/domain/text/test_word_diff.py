"""Word by word, what changed in a passage."""

from hypothesis import given
from hypothesis import strategies as st

from penwright.domain.text.comparing.word_diff import Change, word_diff


def test_one_changed_word_is_one_change() -> None:
    assert word_diff("She left at dawn.", "She left at dusk.") == (
        Change("same", "She left at "),
        Change("removed", "dawn"),
        Change("added", "dusk"),
        Change("same", "."),
    )


def test_a_passage_written_anew_is_two_blocks() -> None:
    before, after = "The tide came in without a sound.", "Nobody, Ada said, had lit that lamp for nine years!"

    assert word_diff(before, after) == (Change("removed", before), Change("added", after))


def test_scripts_without_spaces_are_compared_sign_by_sign() -> None:
    assert Change("removed", "夜") in word_diff("彼女は夜に去った", "彼女は朝に去った")


def test_equal_texts_have_no_change() -> None:
    assert word_diff("same", "same") == (Change("same", "same"),)
    assert word_diff("", "") == ()


@given(st.text(max_size=60), st.text(max_size=60))
def test_the_stretches_give_both_texts_back(before: str, after: str) -> None:
    found = word_diff(before, after)

    assert "".join(each.text for each in found if each.kind != "added") == before
    assert "".join(each.text for each in found if each.kind != "removed") == after
