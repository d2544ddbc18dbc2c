"""Sort waiting and delivered prose at a close: what enters the book, and what waits for review.

Everything before the first passage that an instruction addresses is validated. From there on everything
waits, in story order: reworks in place of the passages they replace, other text, unanswered instructions,
reworks that answer none, and last the new prose.
"""

from dataclasses import dataclass

from penwright.domain.book.files.layout import REVIEW
from penwright.domain.book.review.delivery import Delivery, Rework
from penwright.domain.book.review.markers import chapter_marker, new_block, rework_block
from penwright.domain.book.review.reworks import Matched, Replacement, match_reworks
from penwright.domain.book.review.waiting_prose import (
    Note,
    WaitingProse,
    chapter_parts,
    held_from,
    read_waiting,
)
from penwright.domain.text.conflict_notes import standing_warning
from penwright.domain.text.paragraphs import paragraphs
from penwright.domain.text.words import told_length
from schemas.base import LengthUnit


@dataclass(frozen=True, slots=True)
class Settlement:
    """Text for the book and the next review file."""

    validated: str
    """Paragraphs for the book, without page markers."""
    validated_parts: tuple[tuple[int, str], ...]
    """The same by chapter: (chapter it was written for, text)."""
    review: str
    """The next ``Review/current.md``."""
    review_chapter: int
    """Chapter that the first text of ``review`` was written for."""
    answered: int
    unanswered: int
    warnings: tuple[str, ...]


def split_waiting_prose(
    waiting: WaitingProse, delivery: Delivery, *, first_chapter: int, chapter: int, unit: LengthUnit = "words"
) -> Settlement:
    """Sort waiting and delivered text into book and review.

    Args:
        first_chapter: chapter of the first waiting text.
        chapter: chapter of the delivered prose.
    """
    matched = match_reworks(delivery.reworks, waiting)
    held = held_from(waiting, tuple(replacement.passage for replacement in matched.replacements))
    waits = held < len(waiting.text) or any(note.position >= held for note in waiting.notes if note.holds)
    waits = waits or bool(matched.unmatched)
    last_chapter = waiting.chapter_at(len(waiting.text), first_chapter) if waits else chapter
    page = _Page()
    _write_waiting(page, waiting, matched, held)
    for rework in matched.unmatched:
        page.block(_as_delivered(rework))
    _write_new(page, delivery, marked=delivery.marked, chapter=chapter if chapter != last_chapter else None)
    answered, review = len(matched.replacements), page.text()
    # The author reads these warnings beside the new file, so they count its lines.
    held_now = held_warnings(read_waiting(review), unit)
    return Settlement(
        validated="\n\n".join(paragraphs(waiting.text[:held])),
        validated_parts=chapter_parts(waiting, held, first=first_chapter),
        review=review,
        review_chapter=waiting.chapter_at(held, first_chapter) if waits else chapter,
        answered=answered,
        unanswered=len(waiting.instructions) - answered,
        warnings=(*waiting.warnings, *held_now, *delivery.warnings, *matched.warnings),
    )


def held_warnings(waiting: WaitingProse, unit: LengthUnit = "words") -> tuple[str, ...]:
    """Return a warning for each malformed comment and each conflict: the prose from there on waits until the
    author has seen to it, and every session adds to it."""
    return tuple(
        f"{_said(note)} The prose from there on waits until you do, "
        f"with all that sessions add: {told_length(waiting.words_from(_held_by(waiting, note)), unit)} now."
        for note in waiting.notes
        if note.kind in ("malformed", "conflict")
    )


def _held_by(waiting: WaitingProse, note: Note) -> int:
    return waiting.paragraph_start(waiting.passage(note)[0])


def _said(note: Note) -> str:
    if note.kind == "conflict":
        return standing_warning(REVIEW, note.line)
    return f"{REVIEW} line {note.line}: {note.text}."


def _as_delivered(rework: Rework) -> str:
    return rework_block("", rework.kept.body, rework.kept.original)


def _write_waiting(page: "_Page", waiting: WaitingProse, matched: Matched, held: int) -> None:
    """Write everything from ``held`` on, with each rework in place of its passage."""
    answered = {id(replacement.note) for replacement in matched.replacements}
    notes = [
        note
        for note in waiting.notes
        if id(note) not in answered and note.position >= held + (note.kind == "chapter")
    ]
    position = held
    for replacement in matched.replacements:
        start, end = replacement.passage
        position = _write_up_to(page, waiting, notes, position=position, end=start)
        page.block(_replacing(replacement, waiting.text[start:end]))
        while notes and notes[0].position <= end and end > start:
            page.note(notes.pop(0))
        position = end
    _write_up_to(page, waiting, notes, position=position, end=len(waiting.text))


def _replacing(replacement: Replacement, old: str) -> str:
    return rework_block(replacement.note.text, replacement.text, old)


def _write_up_to(page: "_Page", waiting: WaitingProse, notes: list[Note], *, position: int, end: int) -> int:
    """Write the text from ``position`` to ``end`` with its notes; remove written notes from the list."""
    while notes and notes[0].position <= end:
        note = notes.pop(0)
        page.prose(waiting.text[position : note.position])
        page.note(note)
        position = note.position
    page.prose(waiting.text[position:end])
    return end


def _write_new(page: "_Page", delivery: Delivery, *, marked: bool, chapter: int | None) -> None:
    """Write the new prose last; ``chapter``: its number, if the text before it belongs to another."""
    if not delivery.prose:
        return
    if chapter is not None:
        page.paragraph(chapter_marker(chapter))
    page.paragraph(new_block(delivery.prose) if marked else delivery.prose)


def _after_block(text: str) -> str:
    """Shorten leading line ends to one or two: an instruction that was taken out there leaves no gap."""
    lines = len(text) - len(text.lstrip("\n"))
    return "\n" * min(max(lines, 1), 2) + text[lines:]


class _Page:
    """Builds a review file."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._broken = False
        """A block was written last; what follows must begin on a new line."""

    def prose(self, text: str) -> None:
        """Add text unchanged."""
        if not text:
            return
        if self._broken:
            text = _after_block(text)
        self._pieces.append(text)
        self._broken = False

    def note(self, note: Note) -> None:
        """Add a comment in place; a chapter marker gets its own line."""
        if note.kind == "chapter":
            self.paragraph(chapter_marker(int(note.text)))
            self._pieces.append("\n\n")
            return
        if self._broken and not note.raw.startswith(("\n", "\r")):
            self._pieces.append("\n")
        self._pieces.append(note.raw)
        self._broken = False

    def block(self, text: str) -> None:
        """Add an engine block on its own lines."""
        if self._pieces and not self._ends_with("\n"):
            self._pieces.append("\n")
        self._pieces.append(text)
        self._broken = True

    def paragraph(self, text: str) -> None:
        """Add text after exactly one blank line, or at the beginning."""
        while self._pieces and self._pieces[-1].strip("\n") == "":
            self._pieces.pop()
        if self._pieces:
            self._pieces[-1] = self._pieces[-1].rstrip("\n")
            self._pieces.append("\n\n")
        self._pieces.append(text)
        self._broken = False

    def text(self) -> str:
        """Return the file's text, ending in one line end; empty if only white space was added."""
        written = "".join(self._pieces).strip("\n")
        return f"{written}\n" if written.strip() else ""

    def _ends_with(self, sign: str) -> bool:
        return self._pieces[-1].endswith(sign)
