"""Events, the slices that keep them, and what a reducer may do to a slice."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from pydantic import BaseModel, ConfigDict, JsonValue

from schemas.agent import SlicePolicy

Item = TypeVar("Item", bound=BaseModel)
Kept = TypeVar("Kept", bound=BaseModel, covariant=True)


class StateView(Protocol):
    """The state, to be read only."""

    def all(self, kind: type[Item]) -> tuple[Item, ...]:
        """Every item of a slice, oldest first."""
        ...

    def latest(self, kind: type[Item]) -> Item | None:
        """The newest item of a slice."""
        ...

    def newest(self, kind: type[Item], most: int) -> tuple[Item, ...]:
        """At most so many of the newest items, oldest first; costs no more than it returns."""
        ...


@dataclass(frozen=True, slots=True)
class Append(Generic[Kept]):
    """One more item at the end."""

    item: Kept


@dataclass(frozen=True, slots=True)
class Extend(Generic[Kept]):
    """More items at the end; none changes nothing."""

    items: tuple[Kept, ...]


@dataclass(frozen=True, slots=True)
class Replace(Generic[Kept]):
    """These items instead of all there were."""

    items: tuple[Kept, ...]


@dataclass(frozen=True, slots=True)
class Clear:
    """No items."""


Op = Append[Kept] | Extend[Kept] | Replace[Kept] | Clear
Reducer = Callable[[StateView, Any], Op[BaseModel]]  # Any: an event of the type it is registered for
"""Pure. The view is the state before the event, whatever other reducers make of it."""
Upcaster = Callable[[JsonValue], JsonValue]
"""The JSON of one version as the JSON of the next."""


class Event(BaseModel):
    """Something that happened, under a name that outlives its class and module."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    event_name: ClassVar[str]
    """1–64 of ``a-z0-9._-``, beginning with a letter or digit; ``penwright.`` is ours."""
    event_version: ClassVar[int] = 1

    @classmethod
    def upcasters(cls) -> Mapping[int, Upcaster]:
        """By the version they start from; every version since the oldest that is still read."""
        return {}


class SliceItem(Event):
    """What a slice holds; an event too, which its slice appends unless it has a reducer for it."""

    slice_policy: ClassVar[SlicePolicy] = "state"
    slice_keep: ClassVar[int] = 256
    """Of a log: how many of its newest items are held. Those in front of them are only counted."""

    @classmethod
    def reducers(cls) -> Mapping[type[Event], Reducer]:
        """How events change the slice; at most one reducer for each type of event."""
        return {}
