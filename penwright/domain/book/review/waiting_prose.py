"""The prose that waits in ``Review/current.md``: clean text, and the comments in it by position."""

from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Literal

from penwright.domain.book.review.markers import Cut, annotation_span, original_end, own_line
from penwright.domain.text.ink_comments import Comment, Span, parse_comments
from penwright.domain.text.paragraphs import paragraph_spans


@dataclass(frozen=True, slots=True)
class Note:
    """A comment that stays with the waiting prose."""

    kind: Literal["instruction", "malformed", "chapter"]
    position: int
    """In the clean text."""
    raw: str
    """The author's own bytes."""
    text: str
    line: int

    @property
    def holds(self) -> bool:
        """Whether prose must not pass it on its way into the book."""
        return self.kind != "chapter"


@dataclass(frozen=True)
class WaitingProse:
    """What the author has been looking at."""

    text: str
    """Markers, old versions and annotations taken out; LF line ends."""
    notes: tuple[Note, ...]
    warnings: tuple[str, ...] = ()

    @property
    def instructions(self) -> tuple[Note, ...]:
        return tuple(note for note in self.notes if note.kind == "instruction")

    @cached_property
    def spans(self) -> tuple[Span, ...]:
        """Its paragraphs."""
        return paragraph_spans(self.text)

    def passage(self, note: Note) -> Span:
        """The text that an instruction addresses: the paragraph right in front of it, up to the instruction.

        It begins behind an earlier instruction in the same paragraph. Nothing in front: an empty span.
        """
        end = len(self.text[: note.position].rstrip())
        if end == 0:
            return note.position, note.position
        start = self.paragraph_start(end - 1)
        for other in self.notes:
            if other.holds and start < other.position <= end and self.text[other.position : end].strip():
                start = other.position
        return start + len(self.text[start:end]) - len(self.text[start:end].lstrip()), end

    def paragraph_start(self, position: int) -> int:
        """Where the paragraph begins in which ``position`` stands, or ``position`` between paragraphs."""
        index = bisect_right(self.spans, (position, len(self.text))) - 1
        if index >= 0 and position < self.spans[index][1]:
            return self.spans[index][0]
        return position

    def chapter_at(self, position: int, first: int) -> int:
        """The chapter that the text at ``position`` was written for: ``first`` until a note says so."""
        chapter = first
        for note in self.notes:
            if note.kind == "chapter" and note.position <= position:
                chapter = int(note.text)
        return chapter


def read_waiting(review: str) -> WaitingProse:
    """Read the file; comments keep the author's bytes, the text around them gets LF line ends."""
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
            cuts.append((comment.start, comment.end))
        source = (review, as_given[index]) if same else (text, comment)
        notes.append((comment, source[0][source[1].start : source[1].end]))
    clean = Cut(text, cuts)
    return WaitingProse(
        clean.text,
        tuple(_note(comment, raw, clean.position(comment.start)) for comment, raw in notes),
        tuple(warnings),
    )


def _note(comment: Comment, raw: str, position: int) -> Note:
    if comment.kind == "marker":
        return Note("chapter", position, raw, comment.text.removeprefix("CHAPTER:"), comment.line)
    return Note(comment.kind, position, raw, comment.text, comment.line)


def _engine_spans(text: str, comments: tuple[Comment, ...]) -> tuple[list[Span], list[str]]:
    """What the engine put there: the managed comment, markers, annotations and old versions."""
    cuts = [(0, managed_length(text))]
    warnings = []
    markers = [comment for comment in comments if comment.kind == "marker"]
    for index, marker in enumerate(markers):
        if marker.text.startswith("CHAPTER:"):
            continue
        line = own_line(text, marker.start, marker.end)
        cuts.append(line)
        if marker.text == "REWORKED:START":
            behind = markers[index + 1].start if index + 1 < len(markers) else len(text)
            start, end = annotation_span(text[line[1] : behind])
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
    """How long the comment is in which the engine explains the file, the blank lines behind it included."""
    stripped = text.lstrip("\ufeff \t\r\n")
    if not stripped.startswith("<!--") or not stripped[4:].lstrip().startswith("Penwright"):
        return 0
    end = text.find("-->")
    if end < 0:
        return 0
    end += 3
    return end + len(text[end:]) - len(text[end:].lstrip("\r\n"))


def held_from(waiting: WaitingProse, more: tuple[Span, ...] = ()) -> int:
    """Where the part begins that must wait: the paragraph of the first addressed passage.

    ``more``: further passages, which a rework identified by quoting them.
    """
    passages = [waiting.passage(note) for note in waiting.notes if note.holds]
    starts = [waiting.paragraph_start(start) for start, _ in (*passages, *more)]
    return min(starts, default=len(waiting.text))


def chapter_parts(waiting: WaitingProse, end: int, *, first: int) -> tuple[tuple[int, str], ...]:
    """The text before ``end`` by chapter: (chapter, text), in story order."""
    turns = [note.position for note in waiting.notes if note.kind == "chapter" and note.position < end]
    return tuple(
        (waiting.chapter_at(start, first), waiting.text[start:stop])
        for start, stop in pairwise([0, *turns, end])
        if start < stop
    )
