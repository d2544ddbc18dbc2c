"""The end of a book's prose, for roles that go on from it."""

from penwright.domain.book.chapters import chapter_titles
from penwright.domain.book.files.chapter_text import chapter_starts
from penwright.domain.book.review.waiting_prose import read_waiting
from penwright.domain.book.view import BookView
from penwright.domain.models.token_estimate import estimate_tokens
from penwright.domain.text.paragraphs import paragraphs
from penwright.domain.text.words import without_comments
from schemas.book import SessionPayload

EARLIER_TOKENS = 8_000
"""The most of the validated book that a writer is shown."""
_LAST_TOKENS = 1_100
"""About 800 English words."""
_TAIL = 64_000
"""Characters at the end of the book that are looked at: more than ``EARLIER_TOKENS`` of any language."""


def earlier_prose(book: str, view: BookView) -> str:
    """Return the last paragraphs of the validated book, of at most ``EARLIER_TOKENS``.

    They begin no earlier than the chapter before the current one, where headings name the chapters.

    Args:
        book: text of the validated book.
    """
    tail, chapter = book[-_TAIL:].replace("\r\n", "\n"), view.state.current_chapter
    starts = chapter_starts(tail, chapter_titles(view.config, chapter, view.outlines()))
    begin = next((each.position for each in starts if each.number >= chapter - 1), 0)
    if begin == 0 and len(book) > _TAIL:
        begin = max(0, tail.find("\n\n"))
    return _last(without_comments(tail[begin:]), EARLIER_TOKENS)


def following_prose(text: str) -> str:
    """Return the first paragraphs of a text, some 800 words, without comments."""
    taken: list[str] = []
    room = _LAST_TOKENS
    for each in paragraphs(without_comments(text[:_TAIL].replace("\r\n", "\n"))):
        room -= estimate_tokens(each) + 1
        if room < 0 and taken:
            break
        taken.append(each)
    return "\n\n".join(taken)


def last_prose(payload: SessionPayload) -> str:
    """Return the last paragraphs of the book and of the prose that waits, together some 800 words."""
    return end_of_prose(payload.earlier_prose, read_waiting(payload.current_review.content).text)


def end_of_prose(earlier: str, waiting: str) -> str:
    """Return the last paragraphs of both, some 800 words."""
    return _last(f"{earlier}\n\n{waiting}", _LAST_TOKENS)


def _last(text: str, room: int) -> str:
    """Whole paragraphs from the end of ``text``, of at most ``room`` tokens; at least one."""
    taken: list[str] = []
    for each in reversed(paragraphs(text)):
        room -= estimate_tokens(each) + 1
        if room < 0 and taken:
            break
        taken.append(each)
    return "\n\n".join(reversed(taken))
