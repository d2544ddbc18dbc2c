"""Which text was cut from which."""

from hypothesis import example, given, settings
from hypothesis import strategies as st
from rapidfuzz import fuzz

from penwright.domain.text.comparing.similarity import is_part
from tests.support.sweeps import examples

SHORT = 24
PART = 80

texts = st.text("abc ", min_size=SHORT + 1, max_size=80)


@settings(max_examples=examples(400))
@given(piece=texts, ahead=st.text("abc ", max_size=40), behind=st.text("abc ", max_size=40), text=texts)
@example(piece="a" * 30, ahead="", behind="", text="a" * 20 + "b" * 10)
@example(piece="a" * 30, ahead="", behind="", text="b" * 11 + "a" * 19)
def test_a_piece_is_looked_for_wherever_it_may_be_found(
    piece: str, ahead: str, behind: str, text: str
) -> None:
    edited = f"{ahead}{piece[:9]}x{piece[14:]}{behind}"
    for whole in (text, edited, f"{ahead}{piece}{behind}"):
        if len(piece) <= len(whole):
            assert is_part(piece, whole) == (fuzz.partial_ratio(piece, whole) >= PART)


def test_a_piece_longer_than_the_text_is_not_part_of_it() -> None:
    assert not is_part("a" * 40, "a" * 39)


def test_a_short_piece_must_be_there_word_for_word() -> None:
    assert is_part("the lamp", "by the lamp and the sea")
    assert not is_part("the lamp", "by the lamps and the sea")
