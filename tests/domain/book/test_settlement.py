"""Closing over waiting prose: validation, reworks, waiting text, and their order."""

import re
from collections.abc import Sequence

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from penwright.domain.book.review.closing import Settlement, split_waiting_prose
from penwright.domain.book.review.delivery import read_delivery
from penwright.domain.book.review.waiting_prose import read_waiting
from penwright.domain.text.conflict_notes import conflict_note
from penwright.domain.text.words import count_words
from tests.support.each import for_each


def settled(review: str, delivered: str, *, first_chapter: int = 1, chapter: int = 1) -> Settlement:
    return split_waiting_prose(
        read_waiting(review), read_delivery(delivered), first_chapter=first_chapter, chapter=chapter
    )


def rework(instruction: str, text: str, original: str = "") -> str:
    block = f"<!-- INK:REWORKED:START -->\n> **[Rework]** {instruction}\n\n{text}\n"
    if original:
        block += f"<!-- INK:ORIGINAL:START -->\n{original}\n<!-- INK:ORIGINAL:END -->\n"
    return block + "<!-- INK:REWORKED:END -->\n"


def new(text: str) -> str:
    return f"<!-- INK:NEW:START -->\n{text}\n<!-- INK:NEW:END -->\n"


def clean(review: str) -> str:
    """The words of a review as the book would get them."""
    return " ".join(read_waiting(review).text.split())


def test_without_instructions_all_waiting_prose_is_validated() -> None:
    result = settled("One.\n\nTwo.\n", "Three.")

    assert result.validated == "One.\n\nTwo."
    assert result.review == "Three.\n"


def test_the_addressed_passage_is_kept_out_of_the_validated_part() -> None:
    result = settled("One.\n\nTwo.\n\n<!-- INK: darker -->\n\nThree.\n", "Four.")

    assert result.validated == "One."
    assert result.review == "Two.\n\n<!-- INK: darker -->\n\nThree.\n\nFour.\n"
    assert (result.answered, result.unanswered) == (0, 1)


def test_a_rework_replaces_its_passage_and_waits_beside_the_old_text() -> None:
    result = settled(
        "One.\n\nTwo.\n\n<!-- INK: darker -->\n\nThree.\n", rework("darker", "Night.") + new("Four.")
    )

    assert result.validated == "One."
    assert clean(result.review) == "Night. Three. Four."
    assert "<!-- INK:ORIGINAL:START -->\nTwo.\n<!-- INK:ORIGINAL:END -->" in result.review
    assert (result.answered, result.unanswered) == (1, 0)
    assert settled(result.review, "Five.").validated == "Night.\n\nThree.\n\nFour."


def test_two_versions_of_a_passage_wait_until_the_author_has_chosen() -> None:
    note = conflict_note(2, 1)
    review = f"One.\n\nTheir two,\n\nin parts.\n\n{note}\n\nOur two.\n\nThree.\n"

    result = settled(review, "Four.")
    later = settled(result.review, "Five.")
    chosen = result.review.replace(f"Their two,\n\nin parts.\n\n{note}\n\n", "")

    assert (result.validated, later.validated) == ("One.", "")
    assert later.review == f"Their two,\n\nin parts.\n\n{note}\n\nOur two.\n\nThree.\n\nFour.\n\nFive.\n"
    assert (result.answered, result.unanswered) == (0, 0)
    assert result.warnings[0].startswith("Review/current.md line 5: two versions of one passage")
    assert settled(chosen, "Five.").validated == "Our two.\n\nThree.\n\nFour."


def test_warnings_of_a_close_number_the_lines_of_the_file_it_leaves() -> None:
    result = settled("One.\n\nTwo.\n\nThree.\n\n<!-- INKK: darker -->\n\nFour.\n", "Five.")

    assert result.review.splitlines().index("<!-- INKK: darker -->") == 2
    assert [warning.partition(":")[0] for warning in result.warnings] == ["Review/current.md line 3"]


def test_a_writer_that_repeats_the_note_about_a_conflict_adds_none() -> None:
    result = settled("One.\n", new(f"Two.\n\n{conflict_note(1, 1)}\n\nThree."))

    assert "CONFLICT" not in result.review


def test_an_annotation_after_text_of_the_author_stays_out_of_the_book() -> None:
    review = rework("darker", "Night.", original="Day.").replace("> **", "It fell.\n\n> **")

    assert settled(review, "x").validated == "It fell.\n\nNight."


def test_a_sentence_is_replaced_inside_its_paragraph() -> None:
    review = "One. Two. <!-- INK: a --> Three. <!-- INK: b --> Four.\n"

    result = settled(review, rework("b", "3!"))

    assert result.validated == ""
    assert clean(result.review) == "One. Two. 3! Four."
    assert "<!-- INK: a -->" in result.review
    after = settled(result.review.replace("<!-- INK: a -->", ""), "x")
    assert len(after.validated.split("\n\n")) == 1


@for_each(
    "review, passage",
    [
        ("> He waited.\n> <!-- INK: x -->\n> Long.\n", "> He waited."),
        ("> He waited.\n>\n> <!-- INK: x -->\n\nLong.\n", "> He waited."),
        ("He waited.\n\n> <!-- INK: x -->\n", "He waited."),
        ("- He waited.\n- <!-- INK: x -->\n- Long.\n", "- He waited."),
        ("1. He waited.\n2. <!-- INK: x -->\n", "1. He waited."),
        ("> - He waited.\n> - <!-- INK: x -->\n", "> - He waited."),
        ("He waited.\r\n\r\n> \r\n> <!-- INK: x -->\r\n", "He waited."),
        ("> He waited. <!-- INK: x -->\n> Long.\n", "> He waited."),
        ("He waited.\n\n-- <!-- INK: x -->\n", "--"),
        ("> <!-- INK: x -->\n> Long.\n", ">"),
    ],
)
def test_an_instruction_in_a_quote_or_list_is_about_the_words_before_it(review: str, passage: str) -> None:
    waiting = read_waiting(review)

    (note,) = waiting.instructions
    start, end = waiting.passage(note)
    assert waiting.text[start:end] == passage
    assert "\r" in review or review.endswith(settled(review, "").review)


def test_an_answered_instruction_leaves_no_mark_of_its_line() -> None:
    result = settled("> He waited.\n> <!-- INK: darker -->\n\nTwo.\n", rework("darker", "> Night."))

    assert clean(result.review) == "> Night. Two."


def test_a_quoted_original_selects_the_words_to_replace() -> None:
    review = "He came. He said “no”. <!-- INK: yes --> She left.\n"

    result = settled(review, rework("yes", "He said yes.", original='He said  "no".'))

    assert result.validated == ""
    assert clean(result.review) == "He came. He said yes. She left."


def test_a_quoted_original_may_span_paragraphs_and_holds_them_all() -> None:
    review = "Zero.\n\nOne.\n\nTwo.\n<!-- INK: shorter -->\n\nThree.\n"

    result = settled(review, rework("shorter", "1-2.", original="One.\n\nTwo."))

    assert result.validated == "Zero."
    assert clean(result.review) == "1-2. Three."


def test_an_open_instruction_in_a_replaced_passage_follows_the_new_text() -> None:
    review = "One. <!-- INK: a --> Two. <!-- INK: b --> Three.\n"

    result = settled(review, rework("b", "1-2.", original="One. Two."))

    assert clean(result.review) == "1-2. Three."
    assert (
        result.review.index("1-2.") < result.review.index("<!-- INK: a -->") < result.review.index("Three.")
    )


def test_an_old_version_that_runs_into_the_next_block_is_kept_as_text() -> None:
    block = rework("a", "New.", original="Old.").split("<!-- INK:ORIGINAL:END -->")[0]

    result = settled("Old. <!-- INK: a -->\n", block + new("Next."))

    assert result.answered == 0
    assert result.warnings
    assert clean(result.review) == "Old. New. Old. Next."


def test_an_echo_taken_out_lets_no_new_comment_grow_together() -> None:
    assert read_waiting(settled("", "a <!-<!-- INK: x -->- INK: y --> b").review).notes == ()


def test_an_instruction_about_several_lines_is_answered_by_its_quotation() -> None:
    review = "One.\n\n<!-- INK: make it darker\n   and colder -->\n\nTwo.\n"
    delivered = (
        "<!-- INK:REWORKED:START -->\n> **[Rework]** make it darker\n> and colder\n\nIce.\n"
        "<!-- INK:REWORKED:END -->"
    )

    assert clean(settled(review, delivered).review) == "Ice. Two."


@pytest.mark.parametrize(
    "delivered",
    [
        rework("something nobody asked for", "Other."),
        "<!-- INK:REWORKED:START -->\nOther.\n<!-- INK:REWORKED:END -->",
    ],
)
def test_a_rework_without_its_one_instruction_is_kept_beside_the_old_text(delivered: str) -> None:
    review = "One.\n\n<!-- INK: darker -->\n\nTwo.\n\n<!-- INK: shorter -->\n"

    result = settled(review, delivered + new("Three."))

    assert result.answered == 0
    assert result.warnings
    assert clean(result.review).startswith("One. Two. Other.")
    assert clean(result.review).endswith("Three.")
    assert [note.raw for note in read_waiting(result.review).instructions] == [
        "<!-- INK: darker -->",
        "<!-- INK: shorter -->",
    ]


def test_stray_backticks_do_not_hide_the_old_version() -> None:
    review = "She `wrote it down. <!-- INK: darker -->\n\nTwo.\n"

    result = settled(review, rework("darker", "She `burnt it.") + new("Three."))

    assert settled(result.review, "x").validated == "She `burnt it.\n\nTwo.\n\nThree."


def test_a_writers_unclosed_fence_is_reported_with_its_line() -> None:
    loose = settled("", "One.\n\n```\nTwo.\n")
    closed = settled("", "One.\n\n```\nTwo.\n```\n")

    assert ["line 3" in warning for warning in loose.warnings] == [True]
    assert loose.review == "One.\n\n```\nTwo.\n"
    assert closed.warnings == ()


def test_a_rework_that_runs_to_the_end_of_the_text_replaces_nothing() -> None:
    delivered = rework("darker", "Night.\n\nAnd perhaps new prose.").replace(
        "<!-- INK:REWORKED:END -->\n", ""
    )

    result = settled("One. <!-- INK: darker -->\n", delivered)

    assert result.answered == 0
    assert result.warnings
    assert clean(result.review) == "One. Night. And perhaps new prose."


def test_the_next_block_ends_a_rework() -> None:
    delivered = rework("darker", "Night.").replace("<!-- INK:REWORKED:END -->\n", "") + new("Two.")

    assert clean(settled("One. <!-- INK: darker -->\n", delivered).review) == "Night. Two."


def test_two_equal_instructions_are_distinguished_by_the_old_text() -> None:
    review = "One.\n\n<!-- INK: darker -->\n\nTwo.\n\n<!-- INK: darker -->\n\nThree.\n"

    unclear = settled(review, rework("darker", "Night."))
    clear = settled(review, rework("darker", "Night.", original="Two."))

    assert unclear.answered == 0
    assert clean(unclear.review) == "One. Two. Three. Night."
    assert clear.answered == 1
    assert clean(clear.review) == "One. Night. Three."


def test_one_passage_is_replaced_once_and_the_other_text_is_kept() -> None:
    review = "One. <!-- INK: a --> <!-- INK: b -->\n\nTwo.\n"

    result = settled(review, rework("a", "A.") + rework("b", "B."))

    assert (result.answered, result.unanswered) == (1, 1)
    assert clean(result.review) == "A. Two. B."
    assert "<!-- INK: b -->" in result.review


def test_the_only_rework_of_the_only_instruction_needs_no_annotation() -> None:
    delivered = "<!-- INK:REWORKED:START -->\nNight.\n<!-- INK:REWORKED:END -->"

    assert clean(settled("One. <!-- INK: darker -->", delivered).review) == "Night."


def test_an_instruction_before_all_text_is_answered_in_place() -> None:
    result = settled("<!-- INK: an opening, please -->\n\nOne.\n", rework("an opening, please", "Zero."))

    assert clean(result.review) == "Zero. One."


def test_instructions_added_while_the_session_ran_are_kept() -> None:
    before = "One. <!-- INK: darker -->\n\nTwo.\n"
    during = before + "\n<!-- INK: and this too -->\n"

    result = settled(during, rework("darker", "Night.") + new("Three."))

    assert clean(result.review) == "Night. Two. Three."
    assert "<!-- INK: and this too -->" in result.review


@pytest.mark.parametrize("comment", ["<!-- INK: -->", "<!-- INK: lost", "<!-- INK darker -->"])
def test_a_malformed_comment_holds_the_prose_and_never_enters_the_book(comment: str) -> None:
    review = f"One.\n\nTwo. {comment}\n\nThree.\n"

    result = settled(review, "Four.")

    assert result.validated == "One."
    assert comment in result.review
    assert any("line 1:" in warning for warning in result.warnings)


def test_a_note_inside_another_comment_is_not_answered_and_its_prose_stays_held() -> None:
    review = "One.\n\nTwo.\n\n<!-- author <!-- INK: nested --> end -->\n\nThree.\n"

    result = settled(review, rework("nested", "Night."))
    again = settled(result.review, "Four.")

    for each in (result, again):
        assert "<!-- author <!-- INK: nested --> end -->" in each.review
        assert any("line" in warning and "nested" in warning for warning in each.warnings)
    assert (result.validated, again.validated) == ("One.", "")


def test_an_old_version_without_end_is_kept_as_text() -> None:
    result = settled("One.\n<!-- INK:ORIGINAL:START -->\nOld.\n\nRest.\n", "x")

    assert result.validated.split() == ["One.", "Old.", "Rest."]
    assert result.warnings


def test_an_old_version_ends_with_its_rework_at_the_latest() -> None:
    block = rework("a", "New.", original="Old.").replace("<!-- INK:ORIGINAL:END -->\n", "")

    assert settled(f"One.\n\n{block}\nTwo.\n", "x").validated == "One.\n\nNew.\n\nTwo."
    assert clean(settled("Old. <!-- INK: a -->", block).review) == "New."


def test_a_marker_beside_prose_is_removed_and_the_prose_kept() -> None:
    result = settled("One <!-- INK:NEW:START --> two.\n", "three <!-- INK:NEW:END --> four")

    assert result.validated.split() == ["One", "two."]
    assert result.review.split() == ["three", "four"]


def test_a_writer_cannot_give_instructions_and_keeps_other_comments() -> None:
    result = settled("", "One. <!-- INK: darker --> Two. <!-- a note --> <!-- INK: lost")

    assert result.review.split("<!-- a note -->")[0].split() == ["One.", "Two."]
    assert "INK" not in result.review
    assert "lost" in result.review


def test_windows_line_ends_are_normalized_but_instructions_keep_theirs() -> None:
    result = settled("One.\r\n\r\nTwo. <!-- INK: a\r\nb -->\r\n\r\nThree.\r\n", "Four.\r\n\r\nFive.\rSix.")

    assert result.validated == "One."
    assert result.review == "Two. <!-- INK: a\r\nb -->\n\nThree.\n\nFour.\n\nFive.\nSix.\n"


def test_waiting_prose_remembers_the_chapter_it_was_written_for() -> None:
    held = settled("One. <!-- INK: a -->\n", "Two.", first_chapter=1, chapter=2)
    assert held.review_chapter == 1
    assert held.review == "One. <!-- INK: a -->\n\n<!-- INK:CHAPTER:2 -->\n\nTwo.\n"

    free = settled(held.review.replace("<!-- INK: a -->", ""), "Three.", first_chapter=1, chapter=2)
    assert [(chapter, text.split()) for chapter, text in free.validated_parts] == [
        (1, ["One."]),
        (2, ["Two."]),
    ]
    assert free.review_chapter == 2
    assert "CHAPTER" not in free.validated + free.review


def test_waiting_prose_does_not_begin_with_a_marker_of_its_own_chapter() -> None:
    review = "One.\n\n<!-- INK:CHAPTER:2 -->\nTwo. <!-- INK: a -->\n"

    result = settled(review, "Three.", first_chapter=1, chapter=2)

    assert result.review_chapter == 2
    assert result.review.startswith("Two. <!-- INK: a -->")


WORD = st.integers(0, 99_999).map("w{}".format)
INSTRUCTION = st.sampled_from(["darker", "more  rain", "in\nthird person", "ünïcode"])
SPELLING = st.sampled_from(["<!-- INK: {} -->", "<!--INK:{}-->", "<!--\nink: {}\n\n-->"])


@st.composite
def reviews(draw: st.DrawFn) -> str:
    """Waiting prose with instructions anywhere: in front, inline, on lines of their own, several at once."""
    pieces = []
    for _ in range(draw(st.integers(0, 6))):
        words = " ".join(draw(st.lists(WORD, min_size=1, max_size=5)))
        pieces.append(words)
        for _ in range(draw(st.integers(0, 2))):
            pieces.append(draw(SPELLING).format(draw(INSTRUCTION)))
        pieces.append(draw(st.sampled_from([" ", "\n", "\n\n", "\n\n\n", "\r\n\r\n"])))
    return "".join(
        piece if piece.isspace() or index == 0 else f"{draw(st.sampled_from(['', ' ']))}{piece}"
        for index, piece in enumerate(pieces)
    )


@st.composite
def deliveries(draw: st.DrawFn) -> str:
    """Reworks, right and wrong ones, and new prose, marked or not."""
    pieces = []
    for _ in range(draw(st.integers(0, 3))):
        text = " ".join(f"r{word}" for word in draw(st.lists(WORD, min_size=1, max_size=4)))
        asked = draw(INSTRUCTION).replace("\n", " ")
        block = rework(asked, text, original=draw(st.sampled_from(["", "w1", "w1 w2"])))
        ends = [block] if "ORIGINAL" in block else [block, block.replace("<!-- INK:REWORKED:END -->\n", "")]
        pieces.append(draw(st.sampled_from(ends)))
    prose = " ".join(f"n{word}" for word in draw(st.lists(WORD, min_size=1, max_size=6)))
    pieces.insert(draw(st.integers(0, len(pieces))), draw(st.sampled_from([prose, new(prose)])))
    return "\n".join(pieces)


def is_subsequence(some: Sequence[str], every: Sequence[str]) -> bool:
    rest = iter(every)
    return all(word in rest for word in some)


@given(reviews(), deliveries())
@example("w1 <!-- INK: darker --><!-- INK: darker -->w2", rework("darker", "rw3") + "nw4")
def test_no_word_is_lost_or_doubled_and_the_story_keeps_its_order(review: str, delivered: str) -> None:
    waiting, delivery = read_waiting(review), read_delivery(delivered)

    result = split_waiting_prose(waiting, delivery, first_chapter=1, chapter=1)

    after = read_waiting(result.review)
    kept = (result.validated + " " + after.text).split()
    old = re.findall(r"(?<=START -->\n)w[^<]*(?=\n<!-- INK:ORIGINAL:END)", result.review)
    replaced = " ".join(old).split() if result.answered else []
    before = waiting.text.split()
    waited = [word for word in kept if word.startswith("w")]
    assert is_subsequence(waited, before)
    assert result.answered or waited == before
    assert len(before) - len(waited) <= len(replaced)
    written = [word for word in kept if word[0] in "nr"]
    assert sorted(written) == sorted(
        word for word in re.sub(r"<!--.*?-->|>.*", "", delivered).split() if word[0] in "nr"
    )
    assert [word for word in kept if word[0] == "n"] == [w for w in delivered.split() if w[0] == "n"]


@given(reviews(), deliveries())
def test_unanswered_instructions_survive_byte_for_byte_in_order(review: str, delivered: str) -> None:
    waiting = read_waiting(review)

    result = split_waiting_prose(waiting, read_delivery(delivered), first_chapter=1, chapter=1)

    survivors = [note.raw for note in read_waiting(result.review).instructions]
    assert len(survivors) == result.unanswered
    assert is_subsequence(survivors, [note.raw for note in waiting.instructions])
    assert len(waiting.instructions) == result.unanswered + result.answered


@given(reviews(), st.lists(deliveries(), min_size=1, max_size=4))
def test_a_review_does_not_grow_by_itself(review: str, delivered: list[str]) -> None:
    for prose in delivered:
        before = count_words(review) + count_words(prose)
        result = settled(review, prose)
        review = result.review
        assert "\n\n\n\n" not in re.sub(r"<!--.*?-->", "x", review, flags=re.DOTALL)
        assert read_waiting(review).text.count("NEW:") == 0
        assert count_words(result.validated) <= before
