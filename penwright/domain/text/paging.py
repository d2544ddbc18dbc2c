"""Page markers: ``<!-- PAGE n -->`` before the first paragraph of each page, counted from 1."""

import re
from dataclasses import dataclass

from penwright.domain.text.paragraphs import paragraph_spans, paragraphs
from penwright.domain.text.words import count_words

_MARKER = re.compile(r"^[ \t]*<!--[ \t]*PAGE[ \t]+(\d{1,9})[ \t]*-->[ \t\r]*$", re.MULTILINE)

PAGE_LINE = re.compile(_MARKER.pattern.strip("^$"))
"""A line that is a page marker."""


@dataclass(frozen=True, slots=True)
class BookCount:
    """Words and pages of a book: enough to continue paging without reading it."""

    words: int = 0
    page: int = 0
    """The last page marker's number; 0 before the first."""
    since_page: int = 0
    """Words after the last page marker."""


@dataclass(frozen=True, slots=True)
class Paged:
    """Text with page markers, and the count of the book with that text at its end."""

    text: str
    count: BookCount


def count_book(text: str) -> BookCount:
    """Count the words and pages of a whole book."""
    last = None
    for marker in _MARKER.finditer(text):
        last = marker
    words = count_words(text)
    if last is None:
        return BookCount(words, 0, words)
    return BookCount(words, int(last[1]), count_words(text[last.end() :]))


def paginate(text: str, before: BookCount, *, words_per_page: int) -> Paged:
    """Add page markers to ``text``, which will follow a book of ``before``.

    A page ends with the first paragraph that fills it, so it may exceed ``words_per_page`` by less than that
    paragraph, and no page is empty. 0 words per page: no markers. Markers that ``text`` already has are
    removed, or pages would be numbered twice.
    """
    pieces: list[str] = []
    words, page, since = before.words, before.page, before.since_page
    for paragraph in paragraphs(_MARKER.sub("", text)):
        counted = count_words(paragraph)
        if counted and words_per_page and (page == 0 or since >= words_per_page):
            page, since = page + 1, 0
            pieces.append(f"<!-- PAGE {page} -->")
        pieces.append(paragraph)
        words, since = words + counted, since + counted
    return Paged("\n\n".join(pieces), BookCount(words, page, since))


def mark_pages(text: str, *, words_per_page: int) -> str:
    """Add page markers to a whole text that has none; the rest stays as it is, blank lines too."""
    pieces: list[str] = []
    done = page = since = 0
    for start, end in paragraph_spans(text):
        counted = count_words(text[start:end])
        if counted and words_per_page and (page == 0 or since >= words_per_page):
            page, since = page + 1, 0
            pieces += [text[done:start], f"<!-- PAGE {page} -->\n\n"]
            done = start
        since += counted
    return "".join(pieces) + text[done:]


def paging_faults(text: str) -> tuple[str, ...]:
    """Report the first page marker that breaks the order 1, 2, 3, …; no markers is valid."""
    faults = []
    for expected, marker in enumerate(_MARKER.finditer(text), start=1):
        if int(marker[1]) != expected:
            line = text.count("\n", 0, marker.start()) + 1
            faults.append(f"line {line}: found PAGE {marker[1]}, expected PAGE {expected}")
            break
    return tuple(faults)
