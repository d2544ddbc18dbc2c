"""Ports of what happened: books, runs and events."""

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Protocol

from penwright.ports.portions import Portion
from schemas.base import BookId
from schemas.records import BoardEntry, BoardRow, BookRow, Event, RunRow, RunTally, WorkspaceKind


class Records(Protocol):
    """Books, runs and events."""

    def register(self, book: BookRow) -> None:
        """Enter a book or novel, or where it is now."""
        ...

    def book(self, book_id: BookId) -> BookRow | None:
        """Return the book or novel with this id; None if none is registered."""
        ...

    def books(self, kind: WorkspaceKind = "book") -> tuple[BookRow, ...]:
        """Return what is registered of one kind, by id."""
        ...

    def enter(self, entries: Sequence[BoardEntry]) -> None:
        """Store entries about books; one that is older than the stored one is skipped. Idempotent."""
        ...

    def board(self, book_id: BookId | None = None, *, portion: Portion | None = None) -> tuple[BoardRow, ...]:
        """Return every registered book, or one, with its entries and its cost, by id; one query.

        Args:
            portion: only its ``limit`` books ``after`` an id, ``among`` those it names.
        """
        ...

    def forget(self, book_id: BookId) -> bool:
        """Remove a book and its entries, but not its runs; returns whether it was registered."""
        ...

    def note(self, run: RunRow, events: Sequence[Event]) -> None:
        """Upsert the run and append its events in one transaction; an event stored before is skipped.

        A later note updates the run's stage, but never removes or lowers outcome, words, cost or start.
        """
        ...

    def runs(
        self,
        *,
        subject: str | None = None,
        pipeline: str | None = None,
        limit: int = 50,
        before: str | None = None,
    ) -> tuple[RunRow, ...]:
        """Return the newest runs, newest first; ``before``: only those that were noted before this run."""
        ...

    def tallies(self, pipeline: str, subjects: Sequence[str]) -> Mapping[str, RunTally]:
        """Return the runs of each of these subjects, added up; two statements for any number of subjects."""
        ...

    def run(self, run: str) -> RunRow | None:
        """Return a run by its name (``workflow id#session``); None if there is none."""
        ...

    def events_after(
        self, cursor: int, *, run: str | None = None, subject: str | None = None, limit: int = 500
    ) -> tuple[Event, ...]:
        """Return the events after ``cursor``, in order; of one run, or about one subject."""
        ...

    def newest_event(self) -> int:
        """Return the cursor of the newest event; 0 if there is none."""
        ...


class EventFeed(Protocol):
    """Events as they happen."""

    def follow(self, cursor: int, *, run: str | None = None) -> AsyncIterator[Event]:
        """Yield every event after ``cursor``, then new ones; a reader that reconnects misses none."""
        ...
