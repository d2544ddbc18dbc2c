"""Pages of this process that have a draft open, and those that wait for its next change."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from threading import Lock

GONE_AFTER = timedelta(seconds=45)
"""A page that is open asks at least every 30 seconds."""


@dataclass(frozen=True, slots=True, order=True)
class Reader:
    """One page, and who looks at it."""

    name: str
    page: str


@dataclass(frozen=True)
class Readers:
    """All pages by draft, with the time at which each was last heard of."""

    _seen: dict[str, dict[Reader, datetime]] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def seen(self, draft_id: str, reader: Reader, now: datetime) -> bool:
        """Note that a page has the draft open; False if that was known."""
        with self._lock:
            pages = self._seen.setdefault(draft_id, {})
            fresh = now - pages.get(reader, datetime.min.replace(tzinfo=now.tzinfo)) > GONE_AFTER
            pages[reader] = now
        return fresh

    def others(self, draft_id: str, reader: Reader, now: datetime) -> tuple[Reader, ...]:
        """The other pages that have the draft open, by name."""
        with self._lock:
            pages = self._seen.get(draft_id, {})
            for each in [each for each, at in pages.items() if now - at > GONE_AFTER]:
                del pages[each]
            if not pages:
                self._seen.pop(draft_id, None)
            return tuple(sorted(each for each in pages if each != reader))


@dataclass(frozen=True, eq=False)
class Waiter:
    """One caller that waits, in its loop."""

    loop: asyncio.AbstractEventLoop
    changed: asyncio.Event


@dataclass(frozen=True)
class Waiters:
    """All callers that wait, by draft."""

    _by_draft: dict[str, set[Waiter]] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    @contextmanager
    def waiting(self, draft_id: str) -> Iterator[Waiter]:
        """Yield a waiter that is woken by each change made in this process from now on."""
        waiter = Waiter(asyncio.get_running_loop(), asyncio.Event())
        with self._lock:
            self._by_draft.setdefault(draft_id, set()).add(waiter)
        try:
            yield waiter
        finally:
            with self._lock:
                left = self._by_draft[draft_id]
                left.discard(waiter)
                if not left:
                    del self._by_draft[draft_id]

    def wake(self, draft_id: str) -> None:
        """Wake all that wait for this draft; from any thread."""
        with self._lock:
            waiters = tuple(self._by_draft.get(draft_id, ()))
        for waiter in waiters:
            waiter.loop.call_soon_threadsafe(waiter.changed.set)
