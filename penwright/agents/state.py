"""State as slices of typed values, changed by pure reducers over typed events."""

from typing import Protocol, TypeVar

from pydantic import BaseModel

Item = TypeVar("Item", bound=BaseModel)


class StateView(Protocol):
    """The state, to be read only."""

    def all(self, kind: type[Item]) -> tuple[Item, ...]:
        """Every item of a slice, oldest first."""
        ...

    def latest(self, kind: type[Item]) -> Item | None:
        """The newest item of a slice."""
        ...
