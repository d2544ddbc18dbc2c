"""Importing: every word of the manuscript is in the book or waits in the review."""

from hypothesis import given
from hypothesis import strategies as st

from penwright.adapters.scaffold.manuscript import imported_book, read_manuscript
from penwright.domain.book.files.layout import CONFIG, FULL_BOOK, README, REVIEW, STATE
from penwright.domain.book.files.view import read_book
from penwright.domain.text.paging import paging_faults
from penwright.domain.text.words import count_words, without_comments
from schemas.base import BookId, CommitSha
from schemas.workspace import Snapshot, TextFile

NOVEL = """\
LOW TIDE

CONTENTS

CHAPTER 1. The Pier

CHAPTER 2. The Boat

CHAPTER 1. The Pier

He waits.

CHAPTER 2. The Boat

She comes.
"""


def _imported(text: str, target: int = 1000) -> dict[str, str]:
    return imported_book(read_manuscript(text), {"title": "Tide"}, BookId("tide-00"), target_length=target)


def test_headings_of_a_table_of_contents_are_not_chapters() -> None:
    chapters = read_manuscript(NOVEL).chapters

    assert [(chapter.heading, chapter.text) for chapter in chapters] == [
        ("CHAPTER 1. The Pier", "He waits."),
        ("CHAPTER 2. The Boat", "She comes."),
    ]


def test_markdown_headings_and_crlf_are_read_alike() -> None:
    chapters = read_manuscript("\ufeff# One\r\n\r\nHe waits.\r\n\r\n## Two\r\n\r\nShe comes.\r\n").chapters

    assert [(chapter.heading, chapter.text) for chapter in chapters] == [
        ("One", "He waits."),
        ("Two", "She comes."),
    ]


def test_a_text_without_headings_is_one_chapter() -> None:
    (chapter,) = read_manuscript("He waits. She comes.").chapters

    assert (chapter.heading, chapter.words) == ("Chapter 1", 4)


def test_an_imported_book_continues_in_its_last_chapter() -> None:
    files = _imported(NOVEL)

    assert "current_chapter: 2\n" in files[STATE]
    assert "She comes." in files[REVIEW]
    assert "He waits." in files[FULL_BOOK]
    assert "2. **CHAPTER 2. The Boat** *(in progress)*" in files[README]
    assert "target_length: 1000\n" in files[CONFIG]


def test_an_imported_book_can_be_read_as_a_book() -> None:
    files = _imported(NOVEL)
    snapshot = Snapshot(
        tip=CommitSha("t"),
        files={path: TextFile(path=path, blob=path, text=text) for path, text in files.items()},
        names={FULL_BOOK: FULL_BOOK},
    )

    view = read_book(snapshot)

    assert view.state.current_chapter == 2
    assert view.config.chapter_count >= 2


_PARAGRAPH = st.text(alphabet="ab ", min_size=1).map(str.strip).filter(bool)
_CHAPTERS = st.lists(st.lists(_PARAGRAPH, min_size=1, max_size=5), min_size=1, max_size=4)


@given(_CHAPTERS)
def test_no_word_is_lost_and_pages_are_in_order(chapters: list[list[str]]) -> None:
    text = "\n\n".join(
        f"# Part {number}\n\n" + "\n\n".join(pieces) for number, pieces in enumerate(chapters, start=1)
    )

    files = _imported(text)

    book, review = files[FULL_BOOK], files[REVIEW]
    words = [word for pieces in chapters for piece in pieces for word in piece.split()]
    found = [
        word
        for word in f"{without_comments(book)} {without_comments(review)}".split()
        if set(word) <= {"a", "b"}
    ]
    assert found == words
    assert count_words(book) + count_words(review) == len(words) + 3 * len(chapters)
    assert paging_faults(book) == () or "## " not in book
