"""An immutable sequence that is extended at its end and shares storage with the sequence before."""

from collections.abc import Iterable, Iterator
from itertools import chain as joined
from itertools import islice
from typing import Final, Generic, TypeVar

Item = TypeVar("Item")
_CHUNK: Final = 32


class Chain(Generic[Item]):
    """Frozen. Appending is O(1); the first reading of all items is O(n) and cached."""

    __slots__ = ("_all", "_before", "_tail", "length")

    def __init__(self, items: Iterable[Item] = (), *, before: "Chain[Item] | None" = None) -> None:
        """``items`` after ``before``: at most a chunk of them, unless ``before`` is None."""
        self._before = before
        self._tail = tuple(items)
        self.length: Final[int] = len(self._tail) + (before.length if before else 0)
        self._all: tuple[Item, ...] | None = self._tail if before is None else None

    def extended(self, items: Iterable[Item]) -> "Chain[Item]":
        """A chain with ``items`` appended."""
        longer = self
        for item in items:
            longer = longer._with(item)
        return longer

    def all(self) -> tuple[Item, ...]:
        """Oldest first."""
        if self._all is None:
            tails = reversed([part._tail for part in self._parts()])
            self._all = tuple(joined.from_iterable(tails))
        return self._all

    def newest(self, most: int) -> tuple[Item, ...]:
        """The last ``most`` of them, oldest first; O(``most``)."""
        backwards = joined.from_iterable(reversed(part._tail) for part in self._parts())
        return tuple(islice(backwards, most))[::-1]

    def _with(self, item: Item) -> "Chain[Item]":
        if len(self._tail) < _CHUNK:
            return Chain((*self._tail, item), before=self._before)
        return Chain((item,), before=self)

    def _parts(self) -> Iterator["Chain[Item]"]:
        part: Chain[Item] | None = self
        while part is not None:
            yield part
            part = part._before
