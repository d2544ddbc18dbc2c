"""Put new words in the place of a passage; everything outside of it stays, byte for byte."""

from collections.abc import Iterator

from penwright.domain.text.ink_comments import Span
from penwright.domain.text.paragraphs import paragraphs
from penwright.domain.text.words import count_words, without_comments


def occurrences(book: str, passage: str) -> list[int]:
    """Return where ``passage`` stands in the book; one may overlap the next."""
    found = []
    at = book.find(passage) if passage else -1
    while at >= 0:
        found.append(at)
        at = book.find(passage, at + 1)
    return found


def replaced(book: str, span: Span, new: str, note: str = "") -> str:
    """Return the book with ``new`` in the place of a span.

    Page markers and comments that stand alone inside of the span stay, where about as much of it is told.

    Args:
        note: the note at the end of the span that ``new`` answers, and that goes with it.
    """
    start, end = span
    old = book[start:end].removesuffix(note)
    text = "\n\n".join(_with_marks(old, new))
    if "\r\n" in book:
        text = text.replace("\n", "\r\n")
    result = f"{book[:start]}{text}{book[end:]}"
    assert result.startswith(book[:start]), "the text before it stays"
    assert result.endswith(book[end:]), "the text after it stays"
    return result


def _with_marks(old: str, new: str) -> Iterator[str]:
    """The new paragraphs, and the marks between the old ones."""
    total, marks = max(1, count_words(new)), _marks(old)
    done = 0
    for paragraph in paragraphs(new):
        while marks and marks[0][0] <= done / total:
            yield marks.pop(0)[1]
        yield paragraph
        done += count_words(paragraph)
    yield from (mark for _, mark in marks)


def _marks(old: str) -> list[tuple[float, str]]:
    """Marks inside of a passage, each with the share of its words that stands before it."""
    total, done, found = max(1, count_words(old)), 0, []
    for paragraph in paragraphs(old):
        if without_comments(paragraph).strip():
            done += count_words(paragraph)
        else:
            found.append((done / total, paragraph.replace("\r\n", "\n")))
    return found
