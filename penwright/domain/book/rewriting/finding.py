"""Find the passage of the validated book that its author wants rewritten."""

from collections.abc import Iterator
from dataclasses import dataclass

from penwright.domain.book.chapters import chapter_titles
from penwright.domain.book.files.chapter_text import ChapterStart, chapter_at, chapter_starts
from penwright.domain.book.files.layout import FULL_BOOK
from penwright.domain.book.view import BookView
from penwright.domain.text.counted import counted
from penwright.domain.text.ink_comments import Span, parse_comments
from penwright.domain.text.locating.normal_form import normal_form
from penwright.domain.text.paragraphs import paragraph_spans
from penwright.domain.text.words import count_words, without_comments
from penwright.errors import NotFound, Refused, UsageMistake
from schemas.book_session import RewriteOrder

MOST_WORDS = 6_000
"""Words of a passage that one rewrite may have: the model answers with as many."""
_MOST_NAMED = 30
"""Chapters that an error names."""


@dataclass(frozen=True, slots=True)
class FoundPassage:
    """A passage of the validated book, and what is wanted of it."""

    chapter: int
    instruction: str
    span: Span
    """Of all that is replaced, in the text of the book."""
    text: str
    """Its prose with LF, without page markers and comments."""
    note: str = ""
    """The author's note that is the instruction, at the end of the span; empty: it came with the order."""


@dataclass(frozen=True, slots=True)
class _Paragraph:
    span: Span
    text: str

    @property
    def is_prose(self) -> bool:
        return bool(without_comments(self.text).strip())

    @property
    def is_heading(self) -> bool:
        return self.text.startswith("#")


def find_passage(book: str, view: BookView, order: RewriteOrder) -> FoundPassage:
    """Return the passage that ``order`` means.

    Raises:
        UsageMistake: as ``refuse_unclear``.
        NotFound: ``no-such-chapter``, ``no-such-passage`` or ``no-note-in-book``.
        Refused: ``which-passage``, ``passage-holds-comment`` or ``passage-too-long``.
    """
    refuse_unclear(order)
    titles = chapter_titles(view.config, view.state.current_chapter, view.outlines())
    starts = chapter_starts(book, titles)
    if not order.chapter:
        return _noted(book, starts)
    begin, end = _chapter(book, starts, order.chapter)
    prose = [each for each in _paragraphs(book, begin, end) if each.is_prose]
    meant = _meant(book, prose, order)
    instruction = " ".join(order.instruction.split())
    return _found(meant, order.chapter, instruction, (meant[0].span[0], meant[-1].span[1]))


def refuse_unclear(order: RewriteOrder) -> None:
    """Raise ``UsageMistake`` (``instruction-empty`` or ``chapter-missing``) unless the order is whole."""
    if order.chapter and not order.instruction.strip():
        raise UsageMistake("instruction-empty", "there is no instruction; nothing was changed")
    if not order.chapter and (order.instruction.strip() or order.passage.strip() or order.lines):
        raise UsageMistake("chapter-missing", "the chapter of the passage is missing; nothing was changed")


def _chapter(book: str, starts: tuple[ChapterStart, ...], number: int) -> Span:
    """The text of a chapter; before the first heading stands the first."""
    begins = {each.number: each.position for each in starts}
    if number == 1:
        begins.setdefault(1, 0)
    if number not in begins or not book.strip():
        known = ", ".join(map(str, sorted(begins)[:_MOST_NAMED])) if book.strip() else "no prose yet"
        raise NotFound(
            "no-such-chapter", f"no heading in {FULL_BOOK!r} names chapter {number}; it has {known}"
        )
    begin = begins[number]
    return begin, min((each for each in begins.values() if each > begin), default=len(book))


def _paragraphs(book: str, begin: int, end: int) -> Iterator[_Paragraph]:
    for start, stop in paragraph_spans(book[begin:end]):
        yield _Paragraph((begin + start, begin + stop), book[begin + start : begin + stop])


def _meant(book: str, prose: list[_Paragraph], order: RewriteOrder) -> list[_Paragraph]:
    """The paragraphs that the order names; without words or lines, all below the chapter's heading."""
    if order.lines is not None:
        first, last = order.lines
        return _or_none([each for each in prose if _lies_in(book, each, first, last)], order)
    if order.passage.strip():
        return _or_none(_with_words(prose, order), order)
    below = prose[1:] if prose and prose[0].is_heading else prose
    return _or_none(below, order)


def _lies_in(book: str, paragraph: _Paragraph, first: int, last: int) -> bool:
    begin, end = (book.count("\n", 0, at) + 1 for at in paragraph.span)
    return begin <= last and end >= first


def _with_words(prose: list[_Paragraph], order: RewriteOrder) -> list[_Paragraph]:
    """The paragraph that holds the words, whatever their quotation marks, dashes and case."""
    sought = normal_form(order.passage.strip()).text.casefold()
    found = [each for each in prose if sought in normal_form(each.text).text.casefold()]
    if len(found) > 1:
        raise Refused(
            "which-passage",
            f"{len(found)} paragraphs of chapter {order.chapter} hold {order.passage!r}; nothing was changed",
        )
    return found


def _or_none(found: list[_Paragraph], order: RewriteOrder) -> list[_Paragraph]:
    if found:
        return found
    named = f"{order.passage!r}" if order.passage.strip() else "prose"
    where = f" in lines {order.lines[0]} to {order.lines[1]}" if order.lines else ""
    raise NotFound(
        "no-such-passage",
        f"chapter {order.chapter} holds no {named}{where} in {FULL_BOOK!r}; nothing was changed",
    )


def _noted(book: str, starts: tuple[ChapterStart, ...]) -> FoundPassage:
    """The paragraph before the first note in the book."""
    notes = (each for each in parse_comments(book) if each.kind == "instruction")
    for note in notes:
        before = [each for each in _paragraphs(book, 0, note.start) if each.is_prose and not each.is_heading]
        if before:
            chapter = chapter_at(starts, before[-1].span[0]) or 1
            raw, span = book[note.start : note.end], (before[-1].span[0], note.end)
            return _found(before[-1:], chapter, " ".join(note.text.split()), span, raw)
    raise NotFound(
        "no-note-in-book",
        f"no note of yours stands after a passage in {FULL_BOOK!r}; nothing was changed",
    )


def _found(
    paragraphs: list[_Paragraph], chapter: int, instruction: str, span: Span, note: str = ""
) -> FoundPassage:
    for each in paragraphs:
        if without_comments(each.text) != each.text:
            raise Refused(
                "passage-holds-comment",
                f"a paragraph of the passage has a comment inside: {each.text[:60]!r}; nothing was changed",
            )
    text = "\n\n".join(each.text for each in paragraphs).replace("\r\n", "\n")
    if (words := count_words(text)) > MOST_WORDS:
        raise Refused(
            "passage-too-long",
            f"the passage has {counted(words, 'word')}; a rewrite takes at most {MOST_WORDS:,}",
        )
    return FoundPassage(chapter, instruction, span, text, note)
