"""How long a worker has shown no progress while the supervisor was there to see it."""

import time
from collections.abc import Callable

LONGEST_LOOK_S = 5.0
"""The most that counts between two looks. A supervisor that was itself suspended, starved or frozen cannot
tell a stuck child from a machine that slept, so the rest of such a gap counts for nobody."""


class Silence:
    """The silence of one child.

    Args:
        limit_s: how much is too long; 0: nothing is.
        starting_s: the same until it said that it is ready, for it may import and connect.
    """

    def __init__(
        self, limit_s: float, starting_s: float, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._limit_s = limit_s
        self._starting_s = starting_s
        self._clock = clock
        self._looked = clock()
        self.lasts_s = 0.0

    def broken(self) -> None:
        """It said something."""
        self.lasts_s = 0.0
        self._looked = self._clock()

    def too_long(self, *, starting: bool) -> bool:
        """Look: whether it has said nothing for too long."""
        now = self._clock()
        self.lasts_s += min(now - self._looked, LONGEST_LOOK_S)
        self._looked = now
        limit_s = self._starting_s if starting else self._limit_s
        return self._limit_s > 0 and self.lasts_s >= limit_s
