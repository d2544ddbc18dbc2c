"""What looks wrong in a book that was changed by hand."""

import pytest

from penwright.domain.book.files.book_faults import book_faults
from penwright.domain.book.files.layout import FULL_BOOK
from penwright.domain.text.conflict_notes import conflict_note
from tests.support.books.memory_book import PaperBook, numbered_words
from tests.support.each import for_each

BEFORE = "<!-- PAGE 1 -->\n\nAt sea.\n\n<!-- PAGE 2 -->\n\nMara went down to the shore and saw the lamp.\n"


@pytest.mark.parametrize(
    "cut",
    [
        BEFORE[: -len(" and saw the lamp.\n")],
        BEFORE[: -len("e lamp.\n")],
        BEFORE.replace("\n", "\r\n")[: -len(" the lamp.\r\n")],
        "<!-- PAGE 1 -->\n\nAt\n",
    ],
)
def test_a_book_that_ends_in_the_middle_of_a_known_passage_is_reported(cut: str) -> None:
    (said,) = book_faults(cut, BEFORE)

    assert said.startswith(f"{FULL_BOOK} ends in the middle of a passage")
    assert "git log -p" in said


@for_each(
    "text",
    [
        BEFORE,
        BEFORE.rstrip(),
        BEFORE.replace("\n\nMara went down to the shore and saw the lamp.", ""),
        BEFORE.replace("saw the lamp", "saw nothing"),
        f"{BEFORE}\nMara\n",
        "",
    ],
)
def test_a_book_that_was_changed_otherwise_is_not(text: str) -> None:
    assert book_faults(text, BEFORE) == book_faults(text, None) == ()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"{BEFORE}\nMara went down to the shore and saw the lamp.\n", "the same paragraph twice"),
        (
            "One two three.\n\nFour five.\n\n<!-- PAGE 9 -->\n\nOne two three.\n\nFour five.\n",
            "2 paragraphs twice",
        ),
    ],
)
def test_a_book_that_repeats_its_end_is_reported(text: str, said: str) -> None:
    (found,) = book_faults(text, None)

    assert said in found


@pytest.mark.parametrize(
    "text", ["He came.\n\nNo.\n\nNo.\n", "One.\n\n* * *\n\n* * *\n", "A b c d e f.\n\nX.\n\nA b c d e f.\n"]
)
def test_a_refrain_is_no_repetition(text: str) -> None:
    assert book_faults(text, None) == ()


def test_notes_and_conflicts_in_the_book_are_named_by_line() -> None:
    text = f"One.\n\n{conflict_note(1, 1)}\n\nTwo. <!-- INK: darker -->\n\n<!-- INK: never closed\n"

    assert [said.split(": ")[0] for said in book_faults(text, None)] == [
        f"{FULL_BOOK} line {line}" for line in (3, 5, 7)
    ]


def test_a_fault_of_the_book_is_told_by_every_session_until_the_book_is_changed() -> None:
    book = PaperBook()
    book.write(numbered_words(0, 80))
    book.write(numbered_words(80, 80))
    whole = book.book
    book.put(FULL_BOOK, whole.rstrip()[:-20] + "\n")

    first = book.open().payload.warnings
    closing = book.close(numbered_words(160, 80))
    second = book.open().payload.warnings
    reads = book.reads_of_the_book
    book.put(FULL_BOOK, whole)
    book.close("More.")

    assert [said for said in first if "ends in the middle" in said] == list(first) == list(second)
    assert first[0] in closing.warnings
    assert book.reads_of_the_book == reads + 1
    assert book.open().payload.warnings == ()
