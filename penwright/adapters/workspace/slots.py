"""Limit of steps that work in repositories at once; one that waits for a remote lends its slot to others."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager


class RepositorySlots:
    """Slots for threads that use the disk and the processor; a thread takes one, however often it asks."""

    def __init__(self, at_once: int) -> None:
        self._free = threading.BoundedSemaphore(at_once)
        self._mine = threading.local()

    @contextmanager
    def held(self) -> Iterator[None]:
        """Have a slot inside; waits until one is free."""
        if getattr(self._mine, "held", False):
            yield
            return
        self._take()
        try:
            yield
        finally:
            self._give_back()

    @contextmanager
    def lent(self) -> Iterator[None]:
        """Wait for a remote inside, without the slot; not with a lock on a repository."""
        if not getattr(self._mine, "held", False):
            yield
            return
        self._give_back()
        try:
            yield
        finally:
            self._take()

    def _take(self) -> None:
        self._free.acquire()
        self._mine.held = True

    def _give_back(self) -> None:
        self._mine.held = False
        self._free.release()
