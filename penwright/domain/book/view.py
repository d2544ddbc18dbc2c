"""A book's files at one commit, parsed."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from penwright.domain.book.beats import open_beats
from penwright.domain.book.files.book_faults import book_faults
from penwright.domain.book.files.decisions import read_decisions
from penwright.domain.book.files.layout import (
    COMPLETE,
    CONFIG,
    DECISIONS,
    FULL_BOOK,
    KILL,
    LOCK,
    REVIEW,
    STATE,
    chapter_path,
)
from penwright.domain.book.files.yaml_files import misspelt_keys, read_config, read_state
from penwright.domain.book.pace import Pace, pace_of
from penwright.domain.book.review.closing import held_warnings
from penwright.domain.book.review.waiting_prose import WaitingProse, read_waiting
from penwright.domain.text.conflict_notes import conflict_lines, is_noted, standing_warning
from penwright.domain.text.paging import BookCount, count_book
from penwright.domain.text.words import told_length, unit_of
from penwright.errors import BrokenBook, UsageMistake
from schemas.base import CommitSha, LengthUnit
from schemas.book import BookConfig, BookState
from schemas.continuity import Decisions
from schemas.prose import Intended
from schemas.workspace import Snapshot, TextFile

_MUST_BE_TEXT = {CONFIG: "config", STATE: "state", REVIEW: "review", FULL_BOOK: "full-book"}


@dataclass(frozen=True)
class BookView:
    """The parsed book that the rules work on."""

    tip: CommitSha
    config: BookConfig
    state: BookState
    files: Mapping[str, TextFile]
    blobs: Mapping[str, str]
    """Blob id by path, of every file in the snapshot."""
    unreadable: tuple[str, ...]
    count: BookCount | None
    """Words and pages of the book; None if its text must be read to count them."""
    ends_with_line: bool
    """Whether the book's last line has a line end."""
    book_warnings: tuple[str, ...] = ()
    """Possible faults in Full_Book.md; as of the last count if its text was not read."""
    lock_committed: datetime | None = None
    """When the lock file was committed; looked up only if the file has no valid time."""

    @property
    def needs_count(self) -> bool:
        """Whether the book changed since it was counted: read it again, with its text."""
        return self.count is None

    @property
    def counted(self) -> BookCount:
        """The count; raises ``UsageMistake`` if the book has not been counted."""
        if self.count is None:
            raise UsageMistake(
                "book-not-counted", f"{FULL_BOOK!r} has changed; read the book again with its text."
            )
        return self.count

    @property
    def lock(self) -> str | None:
        """Content of the lock file; empty if it is not text, None if there is none."""
        return self.text(LOCK) if LOCK in self.blobs or LOCK in self.unreadable else None

    @property
    def kill(self) -> bool:
        return KILL in self.blobs

    @property
    def sealed(self) -> bool:
        return COMPLETE in self.blobs

    @cached_property
    def waiting(self) -> WaitingProse:
        """The prose in Review/current.md."""
        return read_waiting(self.text(REVIEW))

    @cached_property
    def pace(self) -> Pace:
        """Progress of the book, with the prose that waits."""
        return pace_of(self.config, self.state, self.waiting, self.counted.words)

    @property
    def beats_told(self) -> tuple[str, ...]:
        """Beats of the current chapter that sessions have told."""
        return tuple((self.state.beats_told or "").splitlines())

    @property
    def unit(self) -> LengthUnit:
        """In which its lengths are told."""
        return unit_of(self.config.language)

    def length(self, number: int) -> str:
        """Return a length with its unit."""
        return told_length(number, self.unit)

    @property
    def beats_open(self) -> tuple[str, ...]:
        """Beats of the current chapter's outline that none has told."""
        outline = self.text(chapter_path(self.state.current_chapter))
        return open_beats(outline, self.beats_told, self.config.language)

    @property
    def review_chapter(self) -> int:
        """The chapter that the first waiting prose was written for."""
        return self.state.review_chapter or self.state.current_chapter

    @property
    def decisions(self) -> Decisions:
        """The author's decisions; none if their file cannot be read."""
        return self._decisions[0]

    @property
    def intended(self) -> tuple[Intended, ...]:
        """Findings that the author means so; none if the file of decisions cannot be read."""
        return self.decisions.intended

    @property
    def decisions_fault(self) -> str:
        """The fault by which the file of decisions cannot be read; empty if it can."""
        return self._decisions[1]

    @cached_property
    def _decisions(self) -> tuple[Decisions, str]:
        try:
            return read_decisions(self.text(DECISIONS)), ""
        except BrokenBook as broken:
            return Decisions(), f"{broken.message} Until then no decision in it counts."

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings for the author about files and comments."""
        left_out = (
            f"{path!r} is not UTF-8 text; it was left out. Save it as UTF-8." for path in self.unreadable
        )
        decisions = filter(None, (self.decisions_fault,))
        return (
            *left_out,
            *misspelt_keys(self.text(CONFIG)),
            *decisions,
            *self.text_warnings,
            *self.waiting.warnings,
            *held_warnings(self.waiting, self.unit),
        )

    @property
    def text_warnings(self) -> tuple[str, ...]:
        """Warnings about the book, and about two versions of a passage in files other than the review."""
        conflicts = (
            standing_warning(path, line)
            for path, file in sorted(self.files.items())
            if path not in (REVIEW, FULL_BOOK) and is_noted(path)
            for line in conflict_lines(file.text)
        )
        return (*self.book_warnings, *conflicts)

    def text(self, path: str) -> str:
        """Return a file's text; empty if there is no such file."""
        return self.files[path].text if path in self.files else ""

    def outlines(self) -> dict[int, str]:
        """Return the existing chapter outlines by number."""
        found = {}
        for number in range(1, len(self.files) + 1):
            if (path := chapter_path(number)) in self.files:
                found[number] = self.files[path].text
        return found


def read_book(
    snapshot: Snapshot, full_book_text: str | None = None, *, before: str | None = None
) -> BookView:
    """Parse a snapshot of ``SESSION_PATTERNS`` and ``names_at``.

    ``before``: the text of the book that was counted last; what has gone wrong since is told from it.

    Raises:
        BrokenBook: ``config-missing``, ``…-not-text``, or what ``read_config`` and ``read_state`` name.
    """
    _refuse_non_text(snapshot)
    if CONFIG not in snapshot.files:
        raise BrokenBook(
            "config-missing",
            f"{CONFIG!r} is missing at the branch tip: `penwright book restore BOOK` brings a "
            "deleted one back, `penwright book init FOLDER` lays out a new book.",
            path=CONFIG,
        )
    config = read_config(snapshot.files[CONFIG].text)
    state = read_state(snapshot.files[STATE].text if STATE in snapshot.files else None)
    blobs = blob_ids(snapshot)
    text = snapshot.files[FULL_BOOK].text if FULL_BOOK in snapshot.files else full_book_text
    count, ends_with_line = _count(state, blobs.get(FULL_BOOK), text)
    return BookView(
        tip=snapshot.tip,
        config=config,
        state=state,
        files=snapshot.files,
        blobs=blobs,
        unreadable=snapshot.unreadable,
        count=count,
        ends_with_line=ends_with_line,
        book_warnings=_book_warnings(state, blobs.get(FULL_BOOK), text, before),
    )


def _book_warnings(
    state: BookState, blob: str | None, text: str | None, before: str | None
) -> tuple[str, ...]:
    if text is None or state.counted_blob == blob:
        return tuple((state.counted_warnings or "").splitlines())
    return book_faults(text, before)


def blob_ids(snapshot: Snapshot) -> dict[str, str]:
    """Return the blob id of every file in the snapshot, by path."""
    return {**snapshot.names, **{path: file.blob for path, file in snapshot.files.items()}}


def _refuse_non_text(snapshot: Snapshot) -> None:
    for path, name in _MUST_BE_TEXT.items():
        if path in snapshot.unreadable:
            fault = "is not UTF-8 text, but sessions need it; save it as UTF-8."
            if path in snapshot.holding_nul:
                fault = "holds a NUL byte, so it is not text, but sessions need it; delete that byte."
            raise BrokenBook(f"{name}-not-text", f"{path!r} {fault}", path=path)


def _count(state: BookState, blob: str | None, text: str | None) -> tuple[BookCount | None, bool]:
    """Return the count, and whether the last line has a line end; a recorded count implies that it has."""
    if blob is None:
        return BookCount(), True
    if state.counted_blob == blob:
        return BookCount(state.counted_words, state.counted_page, state.counted_since_page), True
    if text is None:
        return None, False
    return count_book(text), text.endswith("\n")
