"""The cautious estimate follows its rule in any script, and never shrinks with more text."""

from hypothesis import given
from hypothesis import strategies as st

from penwright.domain.models.token_estimate import cautious_counts, cautious_tokens
from tests.support.each import for_each

TEXTS = st.text(st.characters(codec=None), max_size=60)


@for_each(
    "text, tokens",
    [
        *(
            ("", 0),
            (" ", 0),
            ("lantern", 2),
            ("a lamp", 2),
            ("1453", 2),
            ("Oh!", 2),
            ("a  b", 3),
            ("a\n\nb", 3),
        ),
        *(
            ("Лампа", 3),
            ("été", 3),
            ("φως", 3),
            ("灯火", 2),
            ("“a”", 3),
            ("🕯", 3),
            ("\u2e7f", 2),
            ("\x00", 1),
        ),
    ],
)
def test_the_rule(text: str, tokens: int) -> None:
    assert cautious_tokens(text) == tokens


@given(TEXTS, TEXTS)
def test_two_texts_together_are_never_fewer_tokens_than_either_nor_more_than_both(one: str, two: str) -> None:
    assert max(cautious_counts([one, two])) <= cautious_tokens(one + two)
    assert cautious_tokens(one + two) <= cautious_tokens(one) + cautious_tokens(two) + 1


@given(TEXTS)
def test_every_sign_but_single_spaces_counts(text: str) -> None:
    assert cautious_tokens(text) > 0 or not text.strip(" ")
