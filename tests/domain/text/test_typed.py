"""What of a text one person typed."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from penwright.domain.text.merging.changesets import apply
from penwright.domain.text.merging.typed import Spans, after, words_typed
from schemas.base import OpId
from schemas.drafts import ChangeSet, DraftChange


def changed(changes: ChangeSet, author: str = "ann", kind: str = "person") -> DraftChange:
    return DraftChange.model_validate(
        {
            "draft_id": "d",
            "version": 0,
            "op_id": OpId("o"),
            "changes": changes,
            "author": author,
            "kind": kind,
        }
    )


def words(text: str, *changes: DraftChange) -> int:
    """The words of Ann; ``text``: what stood there before."""
    for each in changes:
        text = apply(text, each.changes)
    return words_typed(text, changes, "ann")


def test_words_count_that_were_typed_by_the_one_who_asks() -> None:
    assert words("", changed(((0, "One two three"),))) == 3
    assert words("", changed(((0, "One"),)), changed((3, (0, " tw"))), changed((6, (0, "o")))) == 2
    assert (
        words("Old text", changed((8, (0, " and new", "", "words"))), changed((8, (0, " his"), 15), "ben"))
        == 3
    )
    assert words("Old", changed((3, (0, " new words")), "", "machine")) == 0


def test_a_word_that_stood_there_counts_only_if_its_beginning_was_typed() -> None:
    assert words("tide", changed((4, (0, "s")))) == 0
    assert words("tide", changed(((0, "s"), 4))) == 1
    assert words("\U0001f600tide", changed((2, (0, "low"), 4))) == 0


def test_what_was_taken_out_again_does_not_count() -> None:
    assert words("", changed(((0, "one two"),)), changed((4, (3,)))) == 1
    assert words("", changed(((0, "one two"),)), changed(((7, "Three"),), "ben")) == 0


def test_notes_for_the_writer_do_not_count() -> None:
    assert words("", changed(((0, "one <!-- INK: more wind --> two"),))) == 2
    assert words("<!-- INK:  -->", changed((10, (0, "more wind"), 4))) == 0


STEPS = st.lists(
    st.tuples(
        st.booleans(),
        st.lists(st.tuples(st.integers(0, 4), st.text("ab é\U0001f600 ", max_size=5)), max_size=4),
    ),
    max_size=5,
)


@given(STEPS)
def test_the_stretches_are_those_of_a_list_of_marked_characters(
    steps: list[tuple[bool, list[tuple[int, str]]]],
) -> None:
    spans: Spans = ()
    marked: list[bool] = []
    for typed, parts in steps:
        changes, marked = _made(parts, marked, typed)
        spans = after(spans, changes, typed=typed)

        assert [at for start, end in spans for at in range(start, end)] == [
            at for at, mark in enumerate(marked) if mark
        ]
        assert all(one[1] < other[0] for one, other in pairwise(spans))


def _made(parts: list[tuple[int, str]], marked: list[bool], typed: bool) -> tuple[ChangeSet, list[bool]]:
    """A change that in turn keeps and replaces so many units, and the marks after it."""
    made: list[int | tuple[int | str, ...]] = []
    now: list[bool] = []
    at = 0
    for number, (wanted, inserted) in enumerate(parts):
        count = min(wanted, len(marked) - at)
        if number % 2:
            made.append((count, inserted))
            now += [typed] * (len(inserted.encode("utf-16-le")) // 2)
        else:
            made.append(count)
            now += marked[at : at + count]
        at += count
    made.append(len(marked) - at)
    return tuple(made), now + marked[at:]
