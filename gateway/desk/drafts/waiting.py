"""Waiters in this process for the next change of a draft."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Lock


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
