"""Detect a process that shows no progress, as far as the supervisor was awake to see it."""

import time
from collections.abc import Callable

LONGEST_LOOK_S = 5.0
"""The most that counts between two checks. A supervisor that was itself suspended or starved cannot tell a
stuck child from a machine that slept, so the rest of such a gap is ignored."""


class StuckDetector:
    """Measures how long one child has shown no progress.

    Args:
        limit_s: seconds without progress after which it is stuck; 0: never.
        starting_s: the same while it starts.
    """

    def __init__(
        self, limit_s: float, starting_s: float, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._limit_s = limit_s
        self._starting_s = starting_s
        self._clock = clock
        self._looked = clock()
        self.lasts_s = 0.0

    def progressed(self) -> None:
        """Note a report, an answer or a movement."""
        self.lasts_s = 0.0
        self._looked = self._clock()

    def too_long(self, *, starting: bool) -> bool:
        """Return whether it is stuck; must be called regularly."""
        now = self._clock()
        self.lasts_s += min(now - self._looked, LONGEST_LOOK_S)
        self._looked = now
        limit_s = self._starting_s if starting else self._limit_s
        return limit_s > 0 and self.lasts_s >= limit_s
