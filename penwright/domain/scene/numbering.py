"""Numbers of rounds as people count them: the place of a round in the path that is played, and its take.

A round is stored under an id that rises with every attempt. Its number is its place in the path, so a round
that is played again keeps it; the attempts at one number are its takes, counted in the order they began. A
reply that was made again is a take of the round that holds it. Neither ever changes.
"""

from collections import defaultdict
from collections.abc import Iterable

from schemas.scene import Take, TakeName

_NONE = TakeName(number=0)


class Numbering:
    """Numbers and takes of the rounds of one scene, and the ids behind them."""

    def __init__(self, takes: Iterable[Take]) -> None:
        """``takes``: all that the scene sees, in the order of their ids."""
        self._path: list[int] = []
        self._numbers: dict[int, int] = {}
        self._takes: defaultdict[int, list[int]] = defaultdict(list)
        self._remade: set[int] = set()
        """Ids of takes of one reply."""
        ends = {0: 0}
        for take in takes:
            ends[take.id] = self._add(take, ends.get(take.follows, 0))

    @property
    def newest(self) -> int:
        """Number of the last round that is played now; 0: there is none."""
        return len(self._path)

    def name(self, id: int | None) -> TakeName:
        """Number and take of a round; number 0 for one that there is not."""
        number = self._numbers.get(id or 0, 0)
        if not id or not number:
            return _NONE
        return TakeName(number=number, take=self._takes[number].index(id) + 1, is_meant=self.id(number) == id)

    def number(self, id: int | None) -> int:
        """As ``name``, without the take."""
        return self._numbers.get(id or 0, 0)

    def takes(self, number: int) -> tuple[int, ...]:
        """Ids of all takes of a round, the first one first."""
        return tuple(self._takes.get(number, ()))

    def id(self, number: int, take: int = 0) -> int | None:
        """The id of a round; None if there is none.

        Args:
            take: 0: the one that is played now; where that is none, the last that was a round of its own.
        """
        known = self.takes(number)
        if take:
            return known[take - 1] if 1 <= take <= len(known) else None
        if 1 <= number <= len(self._path):
            return self._path[number - 1]
        return next((id for id in reversed(known) if id not in self._remade), None)

    def _add(self, take: Take, before: int) -> int:
        """Count a take; returns how long the path is after it, if it stands after ``before`` rounds."""
        if take.remakes:
            end, number = before, self._numbers.get(take.remakes, before)
            self._remade.add(take.id)
        elif take.hidden:
            end = number = before + 1
        else:
            self._path.append(take.id)
            end = number = len(self._path)
        self._numbers[take.id] = number
        self._takes[number].append(take.id)
        return end
