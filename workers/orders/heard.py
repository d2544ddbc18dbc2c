"""Which orders a run has obeyed, so that none is obeyed twice; bounded, and the same in every replay."""

from collections.abc import Iterable

MOST = 128
"""Orders remembered by id; older ones than these are not obeyed at all."""


class Heard:
    """Ids of orders with the times at which they were made."""

    def __init__(self, known: Iterable[tuple[str, int]] = (), floor: int = 0) -> None:
        """``floor``: orders made at or before this time are not obeyed."""
        self._times = dict(known)
        self._floor = floor

    @property
    def floor(self) -> int:
        return self._floor

    @property
    def newest(self) -> tuple[tuple[str, int], ...]:
        """List what a run that continues this one must know."""
        return tuple(self._times.items())

    def is_new(self, id: str, at: int) -> bool:
        """Whether an order was not obeyed before, as far as is known: one too old to tell is not new."""
        return at > self._floor and id not in self._times

    def note(self, id: str, at: int) -> None:
        """Remember an order; the oldest is forgotten, and with it every older one is no longer new."""
        self._times[id] = at
        if len(self._times) > MOST:
            oldest = min(self._times, key=lambda each: (self._times[each], each))
            self._floor = max(self._floor, self._times.pop(oldest))
