"""Events, the slices that keep them, and what a reducer may do to a slice."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from pydantic import BaseModel, ConfigDict, JsonValue

from schemas.agent import SlicePolicy

Item = TypeVar("Item", bound=BaseModel)
Kept = TypeVar("Kept", bound=BaseModel, covariant=True)


class StateView(Protocol):
    """A read-only view of the state."""

    def all(self, kind: type[Item]) -> tuple[Item, ...]:
        """Every item of a slice, oldest first."""
        ...

    def latest(self, kind: type[Item]) -> Item | None:
        """The newest item of a slice."""
        ...

    def newest(self, kind: type[Item], most: int) -> tuple[Item, ...]:
        """At most ``most`` of the newest items, oldest first; O(``most``)."""
        ...


@dataclass(frozen=True, slots=True)
class Append(Generic[Kept]):
    """Append one item."""

    item: Kept


@dataclass(frozen=True, slots=True)
class Extend(Generic[Kept]):
    """Append items; an empty tuple changes nothing."""

    items: tuple[Kept, ...]


@dataclass(frozen=True, slots=True)
class Replace(Generic[Kept]):
    """Replace all items with these."""

    items: tuple[Kept, ...]


@dataclass(frozen=True, slots=True)
class Clear:
    """Remove all items."""


Op = Append[Kept] | Extend[Kept] | Replace[Kept] | Clear
Reducer = Callable[[StateView, Any], Op[BaseModel]]  # Any: an event of the type it is registered for
"""Pure. The view is the state before the event; other reducers of the same event do not show in it."""
Upcaster = Callable[[JsonValue], JsonValue]
"""Converts the JSON of one version to the next."""


class Event(BaseModel):
    """Something that happened, under a name that outlives its class and module."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    event_name: ClassVar[str]
    """1–64 of ``a-z0-9._-``, beginning with a letter or digit; ``penwright.`` is reserved."""
    event_version: ClassVar[int] = 1

    @classmethod
    def upcasters(cls) -> Mapping[int, Upcaster]:
        """Upcasters by the version they convert from, one for each since the oldest supported."""
        return {}


class SliceItem(Event):
    """An item of a slice. It is an event too; its slice appends it unless it has a reducer for it."""

    slice_policy: ClassVar[SlicePolicy] = "state"
    slice_keep: ClassVar[int] = 256
    """Of a log: how many of its newest items are kept. Older ones are only counted."""

    @classmethod
    def reducers(cls) -> Mapping[type[Event], Reducer]:
        """Reducers of the slice by type of event; at most one for each."""
        return {}
