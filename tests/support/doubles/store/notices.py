"""Which notifications were sent, in memory."""

from datetime import UTC, datetime
from threading import RLock

from penwright.adapters.store.notices import HELD_FOR, notice_held
from penwright.ports.clock import Clock


class MemoryNotices:
    """Implements ``Notices``."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = RLock()
        self._claims: dict[str, datetime] = {}
        self._sent: set[str] = set()

    def claim(self, key: str) -> bool:
        now = self._clock.now()
        with self._lock:
            if key in self._sent:
                return False
            if now - self._claims.get(key, datetime.min.replace(tzinfo=UTC)) < HELD_FOR:
                raise notice_held(key)
            self._claims[key] = now
            return True

    def done(self, key: str) -> None:
        self._sent.add(key)

    def release(self, key: str) -> None:
        with self._lock:
            self._claims.pop(key, None)
