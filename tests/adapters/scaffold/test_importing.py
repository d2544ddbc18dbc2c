"""Importing: every word of the source text is in the book or waits in the review."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penwright.adapters.scaffold import importing
from penwright.adapters.scaffold.importing import imported_book
from penwright.adapters.scaffold.templates import fresh_book
from penwright.domain.book.files.layout import CONFIG, FULL_BOOK, README, REVIEW, STATE, chapter_path
from penwright.domain.book.files.yaml_files import read_config
from penwright.domain.book.importing.laying import LaidOut
from penwright.domain.book.importing.reading import read_source
from penwright.domain.book.view import read_book
from penwright.domain.text.paging import paging_faults
from penwright.domain.text.words import count_words, without_comments
from penwright.errors import PermanentError
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


def _imported(text: str, target: int | None = None) -> dict[str, str]:
    return imported_book(read_source(text), {"title": "Tide"}, BookId("tide-00"), target_length=target)


def test_an_imported_book_continues_in_its_last_chapter() -> None:
    files = _imported(NOVEL)

    assert "current_chapter: 2\n" in files[STATE]
    assert "She comes." in files[REVIEW]
    assert "He waits." in files[FULL_BOOK]
    assert "2. **CHAPTER 2. The Boat** *(in progress)*" in files[README]


def test_a_chapter_without_a_heading_is_named_in_the_language_of_the_book() -> None:
    answers = {"title": "Ebbe", "language": "Deutsch"}
    files = imported_book(read_source("Es regnet.\n\nEr wartet.\n"), answers, BookId("ebbe-00"))

    assert files[chapter_path(1)].startswith("# Kapitel 1\n")
    assert fresh_book(answers, BookId("ebbe-00"))[chapter_path(1)].startswith("# Kapitel 1\n")
    assert fresh_book({"title": "Tide"}, BookId("tide-00"))[chapter_path(1)].startswith("# Chapter 1\n")


def test_length_and_chapters_follow_from_what_came_in_unless_they_are_given() -> None:
    book_id, answers = BookId("tide-00"), {"title": "Tide"}
    fresh = read_config(fresh_book(answers, book_id)[CONFIG])

    assert read_config(_imported(NOVEL)[CONFIG]) == fresh.model_copy(update={"chapter_count": 32})
    given = imported_book(read_source(NOVEL), answers, book_id, target_length=1000, chapter_count=7)
    assert read_config(given[CONFIG]) == fresh.model_copy(update={"target_length": 1000, "chapter_count": 7})


def test_a_line_that_would_be_lost_stops_the_import(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importing, "lay_out", lambda *_, **__: LaidOut("", "", 0))

    with pytest.raises(PermanentError) as stopped:
        _imported("Chapter 1\n\nHe waits.\n")

    assert (stopped.value.code, "line 1 " in stopped.value.message) == ("import-incomplete", True)


def test_an_imported_book_can_be_read_as_a_book() -> None:
    files = _imported(NOVEL)
    snapshot = Snapshot(
        tip=CommitSha("t"),
        files={path: TextFile(path=path, blob=path, text=text) for path, text in files.items()},
        names={FULL_BOOK: FULL_BOOK},
    )

    view = read_book(snapshot)

    assert view.state.current_chapter == 2
    assert view.config.chapter_count == 32


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
