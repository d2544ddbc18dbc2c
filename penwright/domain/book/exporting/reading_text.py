"""The text of a book as its reader sees it: no comments, no marks of the engine, verse as verse."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from penwright.domain.book.review.markers import own_line
from penwright.domain.book.review.waiting_prose import WaitingProse, read_waiting
from penwright.domain.text.cutting import Cut
from penwright.domain.text.ink_comments import Span, parse_marked

_HEADING = re.compile(r"^ {0,3}(#{1,6})[ \t]+(\S.*?)[ \t]*#*[ \t]*$", re.MULTILINE)
_LONE_MARK = re.compile(r"(?<![^\n]\n)^ {0,3}#{1,6}[ \t]*$(?=\n[ \t]*\n)", re.MULTILINE)
_INDENTED = re.compile(r"(?<![^\n]\n)(?:^(?: {4,}|\t)[ \t]*\S.*(?:\n|\Z))+", re.MULTILINE)
_LIST_ITEM = re.compile(r" {0,3}(?:[-*+]|\d{1,9}[.)])[ \t]")


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of the book."""

    level: int
    title: str
    anchor: str
    """Its place in a link: words in small letters, joined by hyphens; the second one ends in ``-1``."""


def reading_text(book: str, waiting: str, noted: Callable[[str], str] | None = None) -> str:
    """Return the validated book and the prose that waits, as one text with LF line ends.

    ``noted``: makes of an open note what stands for it, after the passage it is about.
    """
    read = (read_waiting(text) for text in (book, waiting))
    parts = (_without_comments(_with_notes(each, noted) if noted else each.text) for each in read)
    # Blank lines between the parts stay as they were, but there is one at least.
    first, second = (part.rstrip(" \t") for part in parts)
    if first.strip() and second.strip():
        first = first if first.endswith("\n\n") else f"{first.rstrip()}\n\n"
    text = (first + second.lstrip("\n") if first.strip() else second).strip("\n")
    return _with_breaks(f"{text}\n") if text else ""


def _with_notes(prose: WaitingProse, noted: Callable[[str], str]) -> str:
    text = prose.text
    for note in reversed(prose.instructions):
        end = prose.passage(note)[1]
        mark = noted(note.text)
        text = f"{text[:end]}{mark}{text[end:]}" if text[:end].strip() else f"{mark}\n\n{text}"
    return text


def _with_breaks(text: str) -> str:
    """The scene break of manuscripts, a lone ``#``, as one of Markdown, which has it for an empty heading."""
    return _LONE_MARK.sub("***", text)


def headings(text: str) -> tuple[Heading, ...]:
    """Return the headings of a text, in order; code has none."""
    opaque = parse_marked(text).opaque
    seen: dict[str, int] = {}
    made = []
    for found in _HEADING.finditer(text):
        if not any(start <= found.start() < end for start, end in opaque):
            anchor = re.sub(r"[^\w\- ]", "", found[2].lower()).replace(" ", "-")
            count = seen.get(anchor, 0)
            seen[anchor] = count + 1
            made.append(Heading(len(found[1]), found[2], f"{anchor}-{count}" if count else anchor))
    return tuple(made)


def top_level(found: tuple[Heading, ...]) -> int:
    """Return the highest level of heading; 1 without any."""
    return min((heading.level for heading in found), default=1)


def contents_depth(text: str) -> int:
    """Return how many levels a list of contents should show: two where chapters are inside of parts.

    A part is a heading of the highest level with nothing between it and a lower one.
    """
    found = list(_HEADING.finditer(text))
    top = min((len(each[1]) for each in found), default=1)
    for each, following in pairwise(found):
        nothing = not text[each.end() : following.start()].strip()
        if len(each[1]) == top and len(following[1]) > top and nothing:
            return len(following[1]) - top + 1
    return 1


def listed(found: tuple[Heading, ...], depth: int) -> tuple[Heading, ...]:
    """Return the headings of a list of contents, their levels from 1 on."""
    top = top_level(found)
    return tuple(
        Heading(heading.level - top + 1, heading.title, heading.anchor)
        for heading in found
        if heading.level < top + depth
    )


def with_verse(text: str) -> str:
    """Return the text with indented paragraphs as lines of verse, which Markdown would take for code."""
    opaque = parse_marked(text).opaque
    pieces: list[str] = []
    position = 0
    for found in _INDENTED.finditer(text):
        if _in_list(text, found.start()) or any(start <= found.start() < end for start, end in opaque):
            continue
        pieces += [text[position : found.start()], "\\\n".join(_verse(found[0]))]
        position = found.end() - found[0].endswith("\n")
    return "".join(pieces) + text[position:]


def _verse(paragraph: str) -> Iterator[str]:
    for line in paragraph.rstrip("\n").expandtabs(4).split("\n"):
        words = line.lstrip(" ")
        yield "\u00a0" * (len(line) - len(words)) + words.rstrip()


def _in_list(text: str, position: int) -> bool:
    """Whether the paragraph before, as far as it is not indented itself, is an item of a list."""
    before = text[:position].rstrip("\n")
    while before:
        paragraph = before[before.rfind("\n\n") + 2 :] if "\n\n" in before else before
        if not paragraph.startswith((" ", "\t")):
            return _LIST_ITEM.match(paragraph) is not None
        before = before[: len(before) - len(paragraph)].rstrip("\n")
    return False


def _without_comments(text: str) -> str:
    """Remove comments that are not INK's; one on lines of its own goes with a blank line after it."""
    comments = [span for span in parse_marked(text).opaque if text.startswith("<!--", span[0])]
    return Cut(text, (_with_blank_line(text, span) for span in comments)).text


def _with_blank_line(text: str, span: Span) -> Span:
    start, end = own_line(text, *span)
    alone = (start, end) != span
    return (start, end + 1) if alone and text[end : end + 1] == "\n" else (start, end)
