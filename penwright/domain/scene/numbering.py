"""Numbers of rounds and messages as people count them: places in the path that is played; takes of rounds.

A round is stored under an id that rises with every attempt. Its number is its place in the path, so a round
that is played again keeps it; the attempts at one number are its takes, counted in the order they began. A
reply that was made again is a take of the round that holds it. Neither ever changes. Of messages only those
that are played have a number, the same whenever they are.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence

from schemas.scene import Take, TakeName, Takes
from schemas.scene_summary import Stretch

_NONE = TakeName(number=0)


class _Path:
    """Played part of things that are stored under numbers from 1 without gaps."""

    def __init__(self, left_out: Sequence[int]) -> None:
        """``left_out``: what is stored and not played, rising."""
        self._left_out = left_out
        self._places = [stored - at for at, stored in enumerate(left_out)]
        """For each in ``left_out``, the place of what is played next after it."""

    def has(self, stored: int) -> bool:
        return self.up_to(stored) > self.up_to(stored - 1)

    def up_to(self, stored: int) -> int:
        """Count the played ones up to this one: the place of this one, if it is played."""
        return stored - bisect_right(self._left_out, stored)

    def at(self, place: int) -> int:
        """Stored number of the one at a place, from 1."""
        return place + bisect_right(self._places, place)


class Numbering:
    """Numbers and takes of the rounds of one scene, and numbers of its messages, with what is behind them."""

    def __init__(self, takes: Takes) -> None:
        self._rounds = _Path([each.id for each in takes.aside])
        self._messages = _Path(takes.hidden_messages)
        self._last = takes.rounds
        self.hidden = frozenset(each.id for each in takes.aside if each.hidden)
        """Ids of rounds that are not played now."""
        self._aside: dict[int, int] = {}
        """Numbers of takes that are not in the path, by id."""
        self._takes: defaultdict[int, list[int]] = defaultdict(list)
        """Their ids by number."""
        self._remade: set[int] = set()
        """Ids of takes of one reply."""
        ends: dict[int, int] = {}
        for take in takes.aside:
            ends[take.id] = self._add(take, ends.get(take.follows, self._rounds.up_to(take.follows)))

    @property
    def newest(self) -> int:
        """Number of the last round that is played now; 0: there is none."""
        return self._rounds.up_to(self._last)

    def name(self, id: int | None) -> TakeName:
        """Number and take of a round; number 0 for one that there is not."""
        number = self.number(id)
        if id is None or not number:
            return _NONE
        return TakeName(number=number, take=self.takes(number).index(id) + 1, is_meant=self.id(number) == id)

    def number(self, id: int | None) -> int:
        """As ``name``, without the take."""
        if id is None or not 0 < id <= self._last:
            return 0
        return self._aside.get(id) or self._rounds.up_to(id)

    def takes(self, number: int) -> tuple[int, ...]:
        """Ids of all takes of a round, the first one first."""
        played = [self._rounds.at(number)] if 1 <= number <= self.newest else []
        return tuple(sorted([*self._takes.get(number, ()), *played]))

    def id(self, number: int, take: int = 0) -> int | None:
        """The id of a round; None if there is none.

        Args:
            take: 0: the one that is played now; where that is none, the last that was a round of its own.
        """
        if take:
            known = self.takes(number)
            return known[take - 1] if 1 <= take <= len(known) else None
        if 1 <= number <= self.newest:
            return self._rounds.at(number)
        return next((id for id in reversed(self.takes(number)) if id not in self._remade), None)

    def of_stretch(self, stretch: Stretch) -> Stretch:
        """With the numbers of its rounds."""
        first, last = stretch.rounds
        return stretch.model_copy(update={"rounds": (self.number(first), self.number(last))})

    def message(self, stored: int) -> int:
        """The number of a message by what it is stored under; 0 for one that is not played."""
        return self._messages.up_to(stored) if self._messages.has(stored) else 0

    def messages_up_to(self, stored: int) -> int:
        """The number of the last message that is played, of those up to this one."""
        return self._messages.up_to(stored)

    def stored_message(self, number: int) -> int:
        """Stored number of the message with a number, from 1, or of the next one."""
        return self._messages.at(number)

    def _add(self, take: Take, before: int) -> int:
        """Count a take; returns how long the path is after it, if it stands after ``before`` rounds."""
        number = self.number(take.remakes) if take.remakes else before + 1
        self._aside[take.id] = number
        self._takes[number].append(take.id)
        if take.remakes:
            self._remade.add(take.id)
        return before if take.remakes else number
