"""Books, runs and events in memory."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from datetime import datetime
from threading import RLock

from penwright.ports.clock import Clock
from penwright.ports.portions import Portion
from schemas.base import BookId
from schemas.records import BoardEntry, BoardRow, BookRow, Event, RunRow, RunTally, Spending, WorkspaceKind


class MemoryRecords:
    """Implements ``Records``."""

    def __init__(self, clock: Clock, spent: Callable[[str], Spending]) -> None:
        """Args:
        spent: what a subject has cost, by its name.
        """
        self._clock = clock
        self._spent = spent
        self._entries: dict[tuple[str, str], BoardEntry] = {}
        self._lock = RLock()
        self._books: dict[BookId, BookRow] = {}
        self._runs: dict[str, tuple[datetime, RunRow]] = {}
        self._events: list[Event] = []
        self._seen: set[tuple[str, str]] = set()
        self._followers: dict[asyncio.Event, asyncio.AbstractEventLoop] = {}

    def register(self, book: BookRow) -> None:
        earlier = self._books.get(book.book_id)
        created_at = earlier.created_at if earlier else book.created_at or self._clock.now()
        self._books[book.book_id] = book.model_copy(update={"created_at": created_at})

    def book(self, book_id: BookId) -> BookRow | None:
        return self._books.get(book_id)

    def books(self, kind: WorkspaceKind = "book") -> tuple[BookRow, ...]:
        rows = (self._books[book_id] for book_id in sorted(self._books))
        return tuple(row for row in rows if row.kind == kind)

    def holds(self, kind: str, book_id: str) -> bool:
        """Whether a book or novel is registered."""
        known = self._books.get(BookId(book_id))
        return known is not None and known.kind == kind

    def enter(self, entries: Sequence[BoardEntry]) -> None:
        with self._lock:
            for entry in entries:
                key = (entry.book_id, entry.about)
                known = self._entries.get(key)
                if known is None or entry.at >= known.at:
                    held = known is not None and known.state == entry.state
                    since = known.since if known is not None and held else entry.at
                    self._entries[key] = entry.model_copy(update={"since": since})

    def board(self, book_id: BookId | None = None, *, portion: Portion | None = None) -> tuple[BoardRow, ...]:
        books = [book for book in self.books() if book_id in (None, book.book_id)]
        if portion is not None:
            seen = [each for each in books if portion.among is None or each.book_id in portion.among]
            books = [each for each in seen if each.book_id > (portion.after or "")][: portion.limit]
        return tuple(self._board_row(book) for book in books)

    def _board_row(self, book: BookRow) -> BoardRow:
        others = (each for each in self.books() if each.book_id != book.book_id)
        entries = (self._entries[key] for key in sorted(self._entries) if key[0] == book.book_id)
        spent = self._spent(book.book_id)
        return BoardRow(
            book=book,
            entries=tuple(entries),
            cost_micros=spent.cost_micros,
            unknown_prices=spent.unknown_prices,
            shares_folder=any((each.path, each.queue) == (book.path, book.queue) for each in others),
        )

    def forget(self, book_id: BookId) -> bool:
        with self._lock:
            for key in [key for key in self._entries if key[0] == book_id]:
                del self._entries[key]
            return self._books.pop(book_id, None) is not None

    def note(self, run: RunRow, events: Sequence[Event]) -> None:
        with self._lock:
            fresh = [self._append(event) for event in events]
            if not events or any(fresh) or run.run not in self._runs:
                self._upsert(run)
        self._wake()

    def publish(self, events: Sequence[Event]) -> None:
        """Append events that are not of a run."""
        with self._lock:
            for event in events:
                self._append(event)
        self._wake()

    def _wake(self) -> None:
        for noted, loop in list(self._followers.items()):
            loop.call_soon_threadsafe(noted.set)

    def runs(
        self,
        *,
        subject: str | None = None,
        pipeline: str | None = None,
        limit: int = 50,
        before: str | None = None,
    ) -> tuple[RunRow, ...]:
        newest = sorted(self._runs.values(), key=_by_age, reverse=True)
        if before is not None:
            mark = self._runs.get(before)
            newest = [noted for noted in newest if mark is not None and _by_age(noted) < _by_age(mark)]
        wanted = (run for _, run in newest if subject in (None, run.subject))
        return tuple(run for run in wanted if pipeline in (None, run.pipeline))[:limit]

    def tallies(self, pipeline: str, subjects: Sequence[str]) -> Mapping[str, RunTally]:
        found = {}
        for subject in subjects:
            if runs := self.runs(subject=subject, pipeline=pipeline, limit=len(self._runs)):
                ended = next((run for run in runs if run.ended_at is not None), None)
                cost = sum(run.cost_micros for run in runs)
                found[subject] = RunTally(
                    words=runs[0].words,
                    cost_micros=cost,
                    unknown_prices=sum(run.unknown_prices for run in runs),
                    ended=ended,
                )
        return found

    def run(self, run: str) -> RunRow | None:
        noted = self._runs.get(run)
        return None if noted is None else noted[1]

    def events_after(
        self, cursor: int, *, run: str | None = None, subject: str | None = None, limit: int = 500
    ) -> tuple[Event, ...]:
        later = (event for event in self._events if event.cursor > cursor)
        wanted = (event for event in later if run in (None, event.run) and subject in (None, event.subject))
        return tuple(wanted)[:limit]

    def newest_event(self) -> int:
        return self._events[-1].cursor if self._events else 0

    def subscribe(self, noted: asyncio.Event) -> None:
        """Set ``noted``, in the running loop, whenever a run is noted."""
        self._followers[noted] = asyncio.get_running_loop()

    def unsubscribe(self, noted: asyncio.Event) -> None:
        del self._followers[noted]

    def _append(self, event: Event) -> bool:
        once = (event.op_id, event.kind)
        if once in self._seen:
            return False
        self._seen.add(once)
        self._events.append(event.model_copy(update={"cursor": len(self._events) + 1}))
        return True

    def _upsert(self, run: RunRow) -> None:
        noted_at, earlier = self._runs.get(run.run, (self._clock.now(), run))
        kept = {
            "outcome": run.outcome or earlier.outcome,
            "words": max(run.words, earlier.words),
            "cost_micros": max(run.cost_micros, earlier.cost_micros),
            "started_at": earlier.started_at or run.started_at,
            "ended_at": run.ended_at or earlier.ended_at,
        }
        self._runs[run.run] = (noted_at, run.model_copy(update=kept))


def _by_age(noted: tuple[datetime, RunRow]) -> tuple[datetime, str]:
    return noted[0], noted[1].run


class MemoryFeed:
    """Implements ``EventFeed``."""

    def __init__(self, records: MemoryRecords) -> None:
        self._records = records

    async def follow(self, cursor: int, *, run: str | None = None) -> AsyncIterator[Event]:
        noted = asyncio.Event()
        self._records.subscribe(noted)
        try:
            while True:
                noted.clear()
                for event in self._records.events_after(cursor, run=run):
                    cursor = event.cursor
                    yield event
                if not self._records.events_after(cursor, run=run):
                    await noted.wait()
        finally:
            self._records.unsubscribe(noted)
