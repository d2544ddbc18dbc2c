"""Lay a source text out as a book: every line stays as it is, headings are marked, the last pages wait."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from penwright.domain.book.importing.values import Candidate, SourceText
from penwright.domain.book.review.markers import chapter_marker
from penwright.domain.text.ink_comments import parse_comments
from penwright.domain.text.paging import PAGE_LINE, mark_pages
from penwright.domain.text.paragraphs import paragraph_spans
from penwright.domain.text.words import count_words
from schemas.book import BookConfig

_WAITING_WORDS = 1500
"""About one session: it waits for review, so that the author can still correct it."""
_HEADING_LINE = re.compile(r" {0,3}#{1,6}[ \t]")


@dataclass(frozen=True, slots=True)
class LaidOut:
    """The text of a source text as the files of a book."""

    book: str
    """With page markers; together with ``waiting`` all of the text."""
    waiting: str
    chapter_words: int
    """Words of the last chapter, and of what follows it, that are in ``book``."""
    waiting_chapter: int = 0
    """The chapter in which ``waiting`` begins; 0: the last one."""


def planned_lengths(source: SourceText, fresh: BookConfig, target: int | None) -> tuple[int, int]:
    """Return the length and the number of chapters of a book that goes on with this text.

    Without a ``target`` the book has that of a new one, or one chapter more than came in.
    """
    length = target or max(fresh.target_length, source.words + fresh.words_per_chapter)
    missing = max(0, length - source.words)
    return length, max(1, len(source.chapters) - (-missing // fresh.words_per_chapter))


def lay_out(source: SourceText, *, words_per_page: int) -> LaidOut:
    """Divide the text between paragraphs; of the last chapter about 1500 words wait, or one paragraph.

    All from the first INK note on waits, since a session answers notes there only.
    """
    text, starts = _marked(source)
    last = starts[-1] if starts else 0
    cut = min(_cut(text, last), _noted(text))
    paged = mark_pages(text[:cut], words_per_page=words_per_page)
    begun = sum(start <= cut for start in starts)
    return LaidOut(paged, _with_chapters(text, cut, starts), count_words(text[last:cut]), begun)


def first_missing_line(source: SourceText, book: str, waiting: str) -> int | None:
    """Return the first line of the source text, counted from 1, that the book does not have in its order.

    Blank lines and page markers are not text; a heading made of several lines has the number of its first.
    """
    there = (line.strip() for part in (book, waiting) for line in part.split("\n") if line.strip())
    for number, wanted in _expected(source):
        if not any(line == wanted for line in there):
            return number
    return None


def _expected(source: SourceText) -> Iterator[tuple[int, str]]:
    """Yield each line that the book must have, with its number in the source text."""
    heads = {head.first: head for head in source.headings}
    covered = {index for head in source.headings for index in range(head.first + 1, head.marked_end)}
    for index, line in enumerate(source.lines):
        text = _heading(heads[index], source) if index in heads else line
        if index not in covered and text.strip() and not PAGE_LINE.fullmatch(text):
            yield index + 1, text.strip()


def _noted(text: str) -> int:
    """The beginning of the passage of the first note, with headings before it; the end without a note."""
    first = next((each.start for each in parse_comments(text) if each.kind == "instruction"), len(text))
    spans = [span for span in paragraph_spans(text) if span[0] < first]
    if first == len(text) or not spans:
        return first if first == len(text) else 0
    cut = spans.pop()[0]
    while spans and _HEADING_LINE.match(text[slice(*spans[-1])]):
        cut = spans.pop()[0]
    return cut


def _with_chapters(text: str, cut: int, starts: Sequence[int]) -> str:
    """The waiting prose, with a marker before each chapter that follows the one in which it begins."""
    pieces, end = [], len(text)
    for number, start in reversed([*enumerate(starts, start=1)]):
        if start > cut:
            pieces += [text[start:end], f"{chapter_marker(number)}\n\n"]
            end = start
    return "".join([text[cut:end], *reversed(pieces)])


def _marked(source: SourceText) -> tuple[str, list[int]]:
    """Return the text with its headings marked, and where its chapters begin."""
    heads = {head.first: head for head in source.headings}
    lines: list[str] = []
    starts: list[int] = []
    index = length = 0
    while index < len(source.lines):
        head = heads.get(index)
        line = _heading(head, source) if head else source.lines[index]
        if head and head.kind == "chapter":
            starts.append(length)
        if not PAGE_LINE.fullmatch(line):
            if source.has_a_line_a_paragraph and lines and lines[-1].strip() and line.strip():
                lines.append("")
                length += 1
            lines.append(line)
            length += len(line) + 1
        index = head.marked_end if head else index + 1
    return "\n".join(lines), starts


def _heading(head: Candidate, source: SourceText) -> str:
    """Return a heading in Markdown, with the blanks before it; one that is marked already stays as it is."""
    first, single = source.lines[head.first], head.marked_end == head.first + 1
    if head.level and single:
        return first
    signs = "#" * (head.level or (1 if head.kind == "part" else 2))
    return f"{signs} {first if single else head.title}"


def _cut(text: str, last: int) -> int:
    """Return where the part that waits begins; a heading waits with the text that follows it."""
    spans = [(start + last, end + last) for start, end in paragraph_spans(text[last:])]
    if not spans:
        return last
    cut, _ = spans.pop()
    words = count_words(text[cut:])
    while spans and words + count_words(text[slice(*spans[-1])]) <= _WAITING_WORDS:
        cut, end = spans.pop()
        words += count_words(text[cut:end])
    while spans and _HEADING_LINE.match(text[slice(*spans[-1])]):
        cut, _ = spans.pop()
    return cut
