"""Merging block by block."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penwright.domain.text.conflict_notes import conflict_lines, conflict_note
from penwright.domain.text.merging.reconcile import join, reconcile, split
from tests.support.each import for_each

BASE = "One.\n\nTwo.\n\nThree.\n"

WORDS = st.sampled_from([f"paragraph {letter}" for letter in "abcdefghij"])
DOCUMENT = st.lists(WORDS, max_size=8)
DISTINCT = st.lists(WORDS, max_size=8, unique=True)


def text_of(paragraphs: list[str]) -> str:
    return "\n\n".join(paragraphs) + "\n" if paragraphs else ""


def paragraphs_of(text: str) -> Counter[str]:
    return Counter(block.text for block in split(text) if block.text)


@for_each(
    "ours, theirs, merged",
    [
        ("One!\n\nTwo.\n\nThree.\n", "One.\n\nTwo.\n\nThree!\n", "One!\n\nTwo.\n\nThree!\n"),
        (BASE + "\nFour.\n", "Zero.\n\n" + BASE, "Zero.\n\n" + BASE + "\nFour.\n"),
        (BASE + "\nFour.\n", BASE + "\nFour.\n", BASE + "\nFour.\n"),
        (BASE + "\nOurs.\n", BASE + "\nTheirs.\n", BASE + "\nTheirs.\n\nOurs.\n"),
        ("One.\n\nThree.\n", BASE + "\nFour.\n", "One.\n\nThree.\n\nFour.\n"),
        ("Two.\n\nThree.\n\nOne.\n", "Two.\n\nOne.\n\nThree.\n", "Two.\n\nThree.\n\nOne.\n"),
        ("One.\n\nTwo!\n\nInserted.\n\nThree.\n", "One.\n\nTwo.\n\nAlso.\n\nThree.\n", None),
    ],
)
def test_disjoint_changes_merge(ours: str, theirs: str, merged: str | None) -> None:
    result = reconcile(BASE, ours, theirs)

    assert not result.clashes
    if merged is None:
        assert paragraphs_of(result.text) == Counter(["One.", "Two!", "Inserted.", "Also.", "Three."])
    else:
        assert paragraphs_of(result.text) == paragraphs_of(merged)


def test_a_paragraph_changed_twice_is_a_clash_that_keeps_both() -> None:
    result = reconcile(BASE, BASE.replace("Two.", "Our two."), BASE.replace("Two.", "Their two."))

    assert result.text == "One.\n\nTheir two.\n\nOur two.\n\nThree.\n"
    assert [(clash.base.strip(), clash.ours.strip(), clash.theirs.strip()) for clash in result.clashes] == [
        ("Two.", "Our two.", "Their two.")
    ]


@pytest.mark.parametrize(
    ("ours", "theirs", "text"),
    [
        ("Our two.", "Their two.", f"Their two.\n\n{conflict_note(1, 1)}\n\nOur two."),
        ("Our\n\ntwo.", "Their two.", f"Their two.\n\n{conflict_note(1, 2)}\n\nOur\n\ntwo."),
        ("Our two.", "", f"{conflict_note(0, 1)}\n\nOur two."),
        ("", "Their two.", f"Their two.\n\n{conflict_note(1, 0)}"),
    ],
)
def test_a_note_stands_between_the_versions_of_a_clash(ours: str, theirs: str, text: str) -> None:
    sides = [BASE.replace("Two.\n\n", f"{side}\n\n" if side else "") for side in (ours, theirs)]

    result = reconcile(BASE, *sides, noted=True)

    assert result.text == f"One.\n\n{text}\n\nThree.\n"
    assert len(result.clashes) == 1


def test_a_resolved_conflict_is_resolved_for_the_other_side_too() -> None:
    both = reconcile(BASE, BASE.replace("Two.", "Our two."), BASE.replace("Two.", "Their two."), noted=True)
    resolved = "One.\n\nOur two.\n\nThree.\n"

    assert reconcile(both.text, resolved, f"{both.text}\nFour.\n", noted=True).text == f"{resolved}\nFour.\n"


@given(DISTINCT, DISTINCT, DISTINCT)
def test_notes_are_all_that_a_noted_merge_adds(base: list[str], ours: list[str], theirs: list[str]) -> None:
    sides = (text_of(base), text_of(ours), text_of(theirs))
    plain, noted = reconcile(*sides), reconcile(*sides, noted=True)

    without = [block for block in split(noted.text) if not conflict_lines(block.text)]
    assert [block.text for block in without] == [block.text for block in split(plain.text)]
    assert noted.clashes == plain.clashes
    assert len(conflict_lines(noted.text)) <= len(noted.clashes)


def test_a_removed_paragraph_that_the_other_side_rewrote_is_a_clash() -> None:
    result = reconcile(BASE, "One.\n\nThree.\n", BASE.replace("Two.", "Two, again."))

    assert len(result.clashes) == 1
    assert "Two, again." in result.text


def test_a_fence_with_blank_lines_is_one_block() -> None:
    fence = "```\ncode\n\n# not a heading\n```"

    assert [block.text for block in split(f"A\n\n{fence}\n\nB\n")] == ["A", fence, "B"]


def test_a_comment_with_blank_lines_is_one_block() -> None:
    comment = "<!-- INK: rewrite\n\nall of it -->"

    assert [block.text for block in split(f"A\n\n{comment}\n\nB\n")] == ["A", comment, "B"]


def test_an_unclosed_fence_does_not_swallow_the_rest() -> None:
    assert [block.text for block in split("```\ncode\n\nB\n")] == ["```\ncode", "B"]


def test_line_ends_follow_the_other_side() -> None:
    theirs = (BASE + "\nFour.\n").replace("\n", "\r\n")

    result = reconcile(BASE, "Zero.\n\n" + BASE, theirs)

    assert result.text == ("Zero.\n\n" + BASE + "\nFour.\n").replace("\n", "\r\n")


def test_a_text_without_final_line_end_still_parts_its_paragraphs() -> None:
    result = reconcile("One.", "One.\n\nOurs.", "Zero.\n\nOne.")

    assert result.text == "Zero.\n\nOne.\n\nOurs."


@given(st.text(alphabet="ab \n`~<!->", max_size=80))
def test_splitting_loses_nothing(text: str) -> None:
    assert "".join(block.text + block.gap for block in split(text)) == text


@given(DOCUMENT, DOCUMENT)
def test_a_side_that_changed_nothing_changes_nothing(base: list[str], other: list[str]) -> None:
    assert reconcile(text_of(base), text_of(other), text_of(base)).text == text_of(other)
    assert reconcile(text_of(base), text_of(base), text_of(other)).text == text_of(other)


@given(DOCUMENT, DOCUMENT)
def test_identical_changes_are_made_once(base: list[str], other: list[str]) -> None:
    assert reconcile(text_of(base), text_of(other), text_of(other)).text == text_of(other)


@given(DOCUMENT, DOCUMENT, DOCUMENT)
def test_reconcile_keeps_new_paragraphs_and_duplicates_none(
    base: list[str], ours: list[str], theirs: list[str]
) -> None:
    merged = paragraphs_of(reconcile(text_of(base), text_of(ours), text_of(theirs)).text)

    assert (set(ours) | set(theirs)) - set(base) <= set(merged)
    assert set(ours) & set(theirs) <= set(merged)
    assert merged <= Counter(ours) | Counter(theirs)


@given(DISTINCT, DISTINCT, DISTINCT)
def test_the_merge_has_the_same_blocks_if_the_sides_are_swapped(
    base: list[str], ours: list[str], theirs: list[str]
) -> None:
    one = reconcile(text_of(base), text_of(ours), text_of(theirs))
    other = reconcile(text_of(base), text_of(theirs), text_of(ours))

    assert set(paragraphs_of(one.text)) == set(paragraphs_of(other.text))
    assert len(one.clashes) == len(other.clashes)


@given(DISTINCT, st.data())
def test_changes_to_different_paragraphs_are_both_there(base: list[str], data: st.DataObject) -> None:
    mine = data.draw(st.sets(st.sampled_from(base))) if base else set()
    ours = [f"our {paragraph}" if paragraph in mine else paragraph for paragraph in base]
    theirs = [paragraph if paragraph in mine else f"their {paragraph}" for paragraph in base]
    expected = [f"our {paragraph}" if paragraph in mine else f"their {paragraph}" for paragraph in base]

    result = reconcile(text_of(base), text_of(ours), text_of(theirs))

    assert result.text == text_of(expected)
    assert not result.clashes


def test_joining_keeps_a_blank_line_between_blocks() -> None:
    assert join([*split("A\n"), *split("B\n")]) == "A\n\nB\n"
