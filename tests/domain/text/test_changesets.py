"""Changes of a text as the editor sends them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penwright.domain.text.merging import changesets
from penwright.domain.text.merging.changesets import apply, between, units
from penwright.errors import UsageMistake
from schemas.drafts import ChangeSet
from tests.support.each import for_each

TEXTS = st.text(alphabet="ab é☕😀\n,.字\u0301", max_size=40)


def test_stretches_are_kept_dropped_and_inserted() -> None:
    assert apply("one two\nthree", (4, (3, "2"), 6)) == "one 2\nthree"
    assert apply("one", (3, (0, " two", "three"))) == "one two\nthree"
    assert apply("one two", ((4,), 3)) == "two"
    assert apply("", ((0, "a"),)) == "a"
    assert apply("same", (4,)) == "same"


def test_characters_beyond_the_basic_plane_count_as_two() -> None:
    assert units("a😀b") == 4
    assert apply("a😀b", (3, (1, "c"))) == "a😀c"


@for_each(
    "changes",
    [
        (1,),
        (99,),
        (-1, 5),
        (True, 3),
        ((1, 2), 3),
        ((), 4),
        (("a",), 4),
        ((1, "a\nb"), 3),
        ((1, "\0"), 3),
        ((1, "\ud83d"), 3),
        (2, (0, "x"), 2),
        (1, (1,), 2),
        (10**12,),
    ],
)
def test_a_malformed_change_is_refused_by_name(changes: ChangeSet) -> None:
    with pytest.raises(UsageMistake) as refused:
        apply("a😀b", changes)

    assert refused.value.code == "bad-changes"


def test_a_text_can_grow_to_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(changesets, "MOST_UNITS", 10)

    assert apply("12345", (5, (0, "67890"))) == "1234567890"
    with pytest.raises(UsageMistake) as refused:
        apply("12345", (5, (0, "678901")))
    assert refused.value.code == "text-too-long"


@given(TEXTS, TEXTS)
def test_the_changes_between_two_texts_make_one_of_the_other(old: str, new: str) -> None:
    assert apply(old, between(old, new)) == new


@given(TEXTS, st.data())
def test_a_change_does_what_a_list_of_units_does(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    new = data.draw(TEXTS)

    before, dropped, after = text[:start], text[start:end], text[end:]
    replaced: tuple[int | str, ...] = (units(dropped), *new.split("\n"))
    changes = (units(before), replaced, units(after))

    assert apply(text, changes) == before + new + after


def test_only_the_changed_words_are_in_the_changes() -> None:
    assert between("The sea was calm.\n" * 3, "The sea was calm.\n" * 2 + "The sea is calm.\n") == (
        44,
        (3, "is"),
        7,
    )
