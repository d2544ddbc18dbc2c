"""The waiting prose in ``Review/current.md``: clean text, and its comments by position."""

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Literal

from penwright.domain.book.review.markers import annotation_span, original_end, own_line
from penwright.domain.text.conflict_notes import paragraphs_above
from penwright.domain.text.cutting import Cut
from penwright.domain.text.ink_comments import Comment, Span, parse_comments
from penwright.domain.text.paragraphs import paragraph_spans
from penwright.domain.text.words import count_words

_MARKS = re.compile(r"[ \t]*(?:(?:>|(?:[-*+]|\d{1,9}[.)])(?=[ \t\r]|$))[ \t\r]*)+")
"""The marks of quotes and list items at the beginning of a line."""


@dataclass(frozen=True, slots=True)
class Note:
    """A comment that stays with the waiting prose."""

    kind: Literal["instruction", "malformed", "conflict", "chapter"]
    position: int
    """In the clean text."""
    raw: str
    """The comment as the author wrote it, with the marks of a quote or list before it."""
    text: str
    line: int

    @property
    def is_open(self) -> bool:
        """Whether it is not closed, so that what follows on its line is meant as part of it."""
        return self.kind == "malformed" and not self.raw.endswith("-->")

    @property
    def holds(self) -> bool:
        """Whether the prose from here on must wait."""
        return self.kind != "chapter"


@dataclass(frozen=True)
class WaitingProse:
    """The waiting prose, parsed."""

    text: str
    """Without comments, old versions and annotations; LF line ends."""
    notes: tuple[Note, ...]
    warnings: tuple[str, ...] = ()

    @property
    def instructions(self) -> tuple[Note, ...]:
        return tuple(note for note in self.notes if note.kind == "instruction")

    @cached_property
    def spans(self) -> tuple[Span, ...]:
        """Spans of its paragraphs."""
        return paragraph_spans(self.text)

    @cached_property
    def words(self) -> int:
        """The words of the text; the rest of a line on which a note is not closed counts as the note's."""
        return self.words_from(0)

    def words_from(self, position: int) -> int:
        """The words of the text from ``position`` on."""
        rests = ((note.position, self._line_end(note)) for note in self.notes if note.is_open)
        return count_words(self.text[position:]) - sum(
            count_words(self.text[max(start, position) : end]) for start, end in rests
        )

    def words_from_chapter(self, chapter: int, first: int) -> int:
        """The words that were written for ``chapter`` or a later one; ``first``: the chapter of the first."""
        if first >= chapter:
            return self.words
        turns = (note for note in self.notes if note.kind == "chapter" and int(note.text) >= chapter)
        turn = next(turns, None)
        return self.words_from(turn.position) if turn else 0

    def _line_end(self, note: Note) -> int:
        end = self.text.find("\n", note.position)
        return end if end >= 0 else len(self.text)

    def passage(self, note: Note) -> Span:
        """Return the span that an instruction addresses: the paragraph before it, up to the instruction.

        It begins after an earlier instruction in the same paragraph. Empty if no text precedes. A note about
        a conflict addresses the paragraphs of the version before it.
        """
        end = len(self.text[: note.position].rstrip())
        above = paragraphs_above(note.text) if note.kind == "conflict" else 1
        if end == 0 or above == 0:
            return note.position, note.position
        start = self._paragraphs_start(end - 1, above)
        for other in self.notes:
            if other.holds and start < other.position <= end and self.text[other.position : end].strip():
                start = other.position
        return start + len(self.text[start:end]) - len(self.text[start:end].lstrip()), end

    def _paragraphs_start(self, position: int, count: int) -> int:
        """Return the start of ``count`` paragraphs, the last of which is around ``position``."""
        start = self.paragraph_start(position)
        index = bisect_right(self.spans, (start, len(self.text))) - 1
        return self.spans[max(0, index + 1 - count)][0] if count > 1 and index >= 0 else start

    def paragraph_start(self, position: int) -> int:
        """Return the start of the paragraph around ``position``; between paragraphs, ``position`` itself."""
        index = bisect_right(self.spans, (position, len(self.text))) - 1
        if index >= 0 and position < self.spans[index][1]:
            return self.spans[index][0]
        return position

    def chapter_at(self, position: int, first: int) -> int:
        """Return the chapter that the text at ``position`` is for: ``first`` up to a chapter note."""
        chapter = first
        for note in self.notes:
            if note.kind == "chapter" and note.position <= position:
                chapter = int(note.text)
        return chapter


def read_waiting(review: str) -> WaitingProse:
    """Parse the file; comments stay as written, the text around them gets LF line ends."""
    text = review.replace("\r\n", "\n")
    comments = parse_comments(text)
    as_given = parse_comments(review)
    same = len(as_given) == len(comments)
    cuts, warnings = _engine_spans(text, comments)
    notes: list[tuple[Comment, str]] = []
    for index, comment in enumerate(comments):
        if comment.kind == "marker" and not comment.text.startswith("CHAPTER:"):
            continue
        if comment.kind == "marker":
            cuts.append(own_line(text, comment.start, comment.end))
        else:
            cuts.append((_note_start(text, comment), comment.end))
        source = (review, as_given[index]) if same else (text, comment)
        notes.append((comment, source[0][_note_start(*source) : source[1].end]))
    clean = Cut(text, cuts)
    return WaitingProse(
        clean.text,
        tuple(_note(comment, raw, clean.position(comment.start)) for comment, raw in notes),
        tuple(warnings),
    )


def _note_start(text: str, comment: Comment) -> int:
    """Return where a comment begins.

    An instruction that is alone in a line of a quote or list begins where the words before it end, so that it
    addresses them, and takes the marks of its line along.
    """
    line_end = text.find("\n", comment.end)
    behind = text[comment.end : line_end if line_end >= 0 else len(text)]
    start = comment.start
    if comment.kind != "instruction" or behind.strip():
        return start
    words_end = start
    while words_end and _MARKS.fullmatch(text, line := text.rfind("\n", 0, words_end) + 1, words_end):
        words_end = len(text[:line].rstrip()) if line else 0
    return words_end or start


def _note(comment: Comment, raw: str, position: int) -> Note:
    if comment.kind == "marker":
        return Note("chapter", position, raw, comment.text.removeprefix("CHAPTER:"), comment.line)
    return Note(comment.kind, position, raw, comment.text, comment.line)


def _engine_spans(text: str, comments: tuple[Comment, ...]) -> tuple[list[Span], list[str]]:
    """Return the engine's parts (managed comment, markers, annotations, old versions), and warnings."""
    cuts = [(0, managed_length(text))]
    warnings = []
    markers = [comment for comment in comments if comment.kind == "marker"]
    for index, marker in enumerate(markers):
        if marker.text.startswith("CHAPTER:"):
            continue
        line = own_line(text, marker.start, marker.end)
        cuts.append(line)
        if marker.text == "REWORKED:START":
            following = markers[index + 1].start if index + 1 < len(markers) else len(text)
            start, end = annotation_span(text[line[1] : following])
            cuts.append((line[1] + start, line[1] + end))
        elif marker.text == "ORIGINAL:START":
            if (closing := original_end(markers, index)) is None:
                warnings.append(
                    f"Review/current.md line {marker.line}: the old version is not closed; "
                    "it was kept as text. Delete it if it is in the way."
                )
            else:
                cuts.append((line[1], closing.start))
    return cuts, warnings


def managed_length(text: str) -> int:
    """Return the length of the engine's comment about the file, including the blank lines after it."""
    stripped = text.lstrip("\ufeff \t\r\n")
    if not stripped.startswith("<!--") or not stripped[4:].lstrip().startswith("Penwright"):
        return 0
    end = text.find("-->")
    if end < 0:
        return 0
    end += 3
    return end + len(text[end:]) - len(text[end:].lstrip("\r\n"))


def held_from(waiting: WaitingProse, more: tuple[Span, ...] = ()) -> int:
    """Return where the part begins that must wait: at the paragraph of the first addressed passage.

    ``more``: further passages, which reworks have quoted.
    """
    passages = [waiting.passage(note) for note in waiting.notes if note.holds]
    starts = [waiting.paragraph_start(start) for start, _ in (*passages, *more)]
    return min(starts, default=len(waiting.text))


def chapter_parts(waiting: WaitingProse, end: int, *, first: int) -> tuple[tuple[int, str], ...]:
    """Return the text before ``end`` by chapter: (chapter, text), in story order."""
    turns = [note.position for note in waiting.notes if note.kind == "chapter" and note.position < end]
    return tuple(
        (waiting.chapter_at(start, first), waiting.text[start:stop])
        for start, stop in pairwise([0, *turns, end])
        if start < stop
    )
