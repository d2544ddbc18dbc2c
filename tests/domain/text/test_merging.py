"""Merging two sides of a text word by word: both or a choice, and no word lost."""

import re
from collections import Counter
from random import Random
from time import perf_counter

from hypothesis import given
from hypothesis import strategies as st

from penwright.domain.text.merging.three_way import merge
from schemas.patching import Agreed, Conflicting, Disputed, Merged
from tests.support.each import for_each

BASE = (
    "The keeper climbed the stairs at dusk. She lit the lamp.\n\n"
    "A ship passed and did not answer.\n\n"
    "By midnight the wind had taken the shutters.\n"
)


def words(text: str) -> Counter[str]:
    return Counter(re.findall(r"\w+", text))


def marks(text: str) -> Counter[str]:
    """Words that only one side can have written."""
    return Counter(re.findall(r"(?:mine|their)\d", text))


def signs(text: str) -> Counter[str]:
    """All characters but white space, which follows the paragraphs."""
    return Counter("".join(text.split()))


def everything(merged: Merged | Conflicting, *sides: str) -> str:
    """Every text of a merge, the disputed ones of the sides named."""
    if isinstance(merged, Merged):
        return merged.text
    return " ".join(
        part.text if isinstance(part, Agreed) else " ".join(getattr(part, side) for side in sides)
        for part in merged.parts
    )


def choice(merged: Merged | Conflicting, side: str) -> str:
    """The text when one side wins every dispute."""
    if isinstance(merged, Merged):
        return merged.text
    return "".join(part.text if isinstance(part, Agreed) else getattr(part, side) for part in merged.parts)


@for_each(
    "mine, theirs, merged",
    [
        (
            ("the stairs", "the ladder"),
            ("the lamp", "both lamps"),
            "climbed the ladder at dusk. She lit both lamps.",
        ),
        (
            ("keeper climbed", "old keeper climbed"),
            ("stairs at", "stairs slowly at"),
            "The old keeper climbed the stairs slowly at",
        ),
        (
            ("A ship passed and did not answer.\n\n", ""),
            ("She lit the lamp", "She lit it"),
            "She lit it.\n\nBy midnight",
        ),
        (
            ("The keeper", "# Night\n\nThe keeper"),
            ("shutters.\n", "shutters.\n\nNobody slept.\n"),
            "# Night\n\nThe keeper",
        ),
        (("ship passed", "boat passed"), ("ship passed", "boat passed"), "A boat passed and"),
        (("ship passed", "boat passed by"), ("A ship", "A boat"), "A boat passed by and"),
        (("dusk. She", "night. She"), ("She lit", "Then she lit"), "at night. Then she lit"),
        (("A ship", "One ship"), ("ship passed", "boat passed"), None),
        (("the lamp", "the lantern"), ("the lamp", "the candle"), None),
        (("at dusk", "at dusk, alone"), ("at dusk", "at dusk, singing"), None),
        (("A ship passed and did not answer.\n\n", ""), ("did not answer", "never answered"), None),
    ],
)
def test_changes_that_do_not_touch_are_both_made(
    mine: tuple[str, str], theirs: tuple[str, str], merged: str | None
) -> None:
    result = merge(BASE, BASE.replace(*mine), BASE.replace(*theirs))

    if merged is None:
        assert isinstance(result, Conflicting)
        assert choice(result, "base") == BASE
        assert choice(result, "mine") == BASE.replace(*mine)
        assert choice(result, "theirs") == BASE.replace(*theirs)
    else:
        assert isinstance(result, Merged)
        assert merged in result.text
        assert words(result.text) == words(BASE.replace(*mine).replace(*theirs)) or "boat" in merged


def test_both_versions_of_a_dispute_come_back_and_the_rest_is_merged() -> None:
    mine = BASE.replace("lit the lamp", "lit two lamps").replace("By midnight", "At midnight")
    theirs = BASE.replace("lit the lamp", "broke the lamp").replace("A ship", "One ship")

    result = merge(BASE, mine, theirs)

    assert isinstance(result, Conflicting)
    assert [part for part in result.parts if isinstance(part, Disputed)] == [
        Disputed(base="lit the lamp", mine="lit two lamps", theirs="broke the lamp")
    ]
    assert "One ship passed" in choice(result, "mine")
    assert "At midnight" in choice(result, "theirs")


def test_line_ends_follow_theirs() -> None:
    windows = BASE.replace("\n", "\r\n")

    merged = merge(windows, BASE.replace("dusk", "night"), windows.replace("A ship", "One ship"))

    assert merged == Merged(text=windows.replace("dusk", "night").replace("A ship", "One ship"))


def test_where_words_have_no_spaces_single_characters_merge() -> None:
    base = "灯台守は夕方に階段を上った。"

    merged = merge(base, base.replace("夕方", "夜中"), base.replace("上った", "下りた"))

    assert merged == Merged(text="灯台守は夜中に階段を下りた。")


TOKENS = ["the ", "sea ", "lamp ", "is ", "cold. ", "\n\n", "\n", "blue ", "灯", ", "]
TEXTS = st.lists(st.sampled_from(TOKENS), max_size=25).map("".join)
FEW = st.lists(st.sampled_from(["a ", "b ", "\n"]), max_size=12).map("".join)


@st.composite
def edited(draw: st.DrawFn, base: str, mark: str) -> str:
    """A descendant of ``base`` with insertions that are told apart from all others, and deletions."""
    tokens = re.findall(r"\S+ ?|\s", base)
    for number in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, len(tokens)))
        tokens[at : at + draw(st.integers(0, 3))] = draw(
            st.sampled_from([[], [f"{mark}{number} "], [f"{mark}{number}\n"]])
        )
    return "".join(tokens)


@given(TEXTS.flatmap(lambda base: st.tuples(st.just(base), edited(base, "mine"), edited(base, "their"))))
def test_every_word_that_was_typed_is_in_the_text_or_in_the_dispute(texts: tuple[str, str, str]) -> None:
    base, mine, theirs = texts

    result = merge(base, mine, theirs)

    assert marks(mine) <= marks(everything(result, "mine"))
    assert marks(theirs) <= marks(everything(result, "theirs"))
    assert signs(mine) - signs(base) <= signs(everything(result, "mine"))
    assert signs(theirs) - signs(base) <= signs(everything(result, "theirs"))


@given(FEW, FEW, FEW)
def test_no_sign_is_lost_where_everything_repeats(base: str, mine: str, theirs: str) -> None:
    result = merge(base, mine, theirs)

    assert signs(mine) - signs(base) <= signs(everything(result, "mine"))
    assert signs(theirs) - signs(base) <= signs(everything(result, "theirs"))


@given(TEXTS, TEXTS)
def test_a_merge_with_a_side_that_changed_nothing_is_the_other_side(base: str, side: str) -> None:
    assert merge(base, base, side) == merge(base, side, base) == merge(base, side, side) == Merged(text=side)


@given(TEXTS.flatmap(lambda base: st.tuples(st.just(base), edited(base, "mine"), edited(base, "their"))))
def test_both_sides_see_the_same_words(texts: tuple[str, str, str]) -> None:
    base, mine, theirs = texts
    one, other = merge(base, mine, theirs), merge(base, theirs, mine)

    assert marks(everything(one, "mine", "theirs")) == marks(everything(other, "mine", "theirs"))


FEWER_THAN_HALF = st.sets(st.integers(0, 29), max_size=14)


@given(FEWER_THAN_HALF, FEWER_THAN_HALF, st.booleans())
def test_changes_of_different_words_are_all_made(mine: set[int], theirs: set[int], lines: bool) -> None:
    theirs -= mine
    gap = "\n" if lines else ", "

    def text(*sides: tuple[set[int], str]) -> str:
        changed = {at: mark for places, mark in sides for at in places}
        return gap.join(changed.get(at, "word") + str(at) for at in range(30))

    merged = merge(text(), text((mine, "my")), text((theirs, "their")))

    assert merged == Merged(text=text((mine, "my"), (theirs, "their")))


def test_a_megabyte_with_scattered_changes_merges_at_once() -> None:
    chance = Random(4)
    lexicon = ["".join(chance.choices("abcdefghij", k=chance.randint(2, 9))) for _ in range(4000)]
    paragraphs = [" ".join(chance.choices(lexicon, k=80)) for _ in range(1900)]
    base = "\n\n".join(paragraphs)
    mine, theirs = list(paragraphs), list(paragraphs)
    for at in range(0, 1900, 95):
        mine[at] = mine[at].replace(" ", " mine ", 1)
        theirs[at] += " theirs"

    began = perf_counter()
    merged = merge(base, "\n\n".join(mine), "\n\n".join(theirs))

    assert isinstance(merged, Merged)
    assert (merged.text.count(" mine "), merged.text.count(" theirs")) == (20, 20)
    assert len(base) > 900_000
    assert perf_counter() - began < 5
    one_line = base.replace("\n", " ")
    assert isinstance(merge(one_line, f"Mine {one_line}", f"{one_line} theirs"), Merged)
