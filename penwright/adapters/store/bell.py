"""The bell: tells followers that events were committed."""

import logging
from collections.abc import Callable
from threading import Event, Lock, Thread

from penwright.errors import PenwrightError

_PAUSE_S = 0.05
"""Shortest time between two rings of one process."""

_log = logging.getLogger(__name__)


class Bell:
    """Rings soon after each call of ``ring``, once for all calls within a pause.

    Of transactions with a notification, PostgreSQL lets one commit at a time, in the whole cluster. So no
    writer of events notifies; a thread does, in its own transaction, and ends when there is no more to tell.
    A process that dies before it has rung delays its followers until they look by themselves.
    """

    def __init__(self, announce: Callable[[], None]) -> None:
        self._announce = announce
        self._lock = Lock()
        self._wanted = False
        self._thread: Thread | None = None
        self._closing = Event()

    def ring(self) -> None:
        """Have the bell rung; returns at once and never raises."""
        with self._lock:
            self._wanted = True
            if self._thread is None and not self._closing.is_set():
                self._thread = Thread(target=self._work, name="penwright-bell", daemon=True)
                self._thread.start()

    def close(self) -> None:
        """Ring for what was wanted until now, and end. Idempotent."""
        self._closing.set()
        with self._lock:
            thread = self._thread
        if thread is not None:
            thread.join()

    def _work(self) -> None:
        while self._is_wanted():
            try:
                self._announce()
            except PenwrightError as error:
                _log.warning("followers of events are told late: %s", error.message)
            self._closing.wait(_PAUSE_S)

    def _is_wanted(self) -> bool:
        with self._lock:
            wanted, self._wanted = self._wanted, False
            if not wanted:
                self._thread = None
            return wanted
