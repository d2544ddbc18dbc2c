"""The state of a run, and its transitions: the events of a call apply all or not at all."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain as joined
from itertools import islice
from types import MappingProxyType
from typing import Final, Generic, TypeVar, cast

from pydantic import BaseModel

from penwright.agents.state.declared import Append, Clear, Extend, Op, Replace, SliceItem
from penwright.agents.state.json_form import round_tripped
from penwright.agents.state.slices import Reduction, Registry, Slice
from penwright.errors import BrokenDefinition

Element = TypeVar("Element")
_CHUNK: Final = 32


class Chain(Generic[Element]):
    """A sequence that shares storage with the one before it; frozen.

    Appending is O(1); the first reading of all items is O(n) and cached.
    """

    __slots__ = ("_all", "_before", "_tail", "length")

    def __init__(self, items: Iterable[Element] = (), *, before: "Chain[Element] | None" = None) -> None:
        """``items`` after ``before``: at most a chunk of them, unless ``before`` is None."""
        self._before = before
        self._tail = tuple(items)
        self.length: Final[int] = len(self._tail) + (before.length if before else 0)
        self._all: tuple[Element, ...] | None = self._tail if before is None else None

    def extended(self, items: Iterable[Element]) -> "Chain[Element]":
        """A chain with ``items`` appended."""
        longer = self
        for item in items:
            longer = longer._with(item)
        return longer

    def all(self) -> tuple[Element, ...]:
        """Oldest first."""
        if self._all is None:
            tails = reversed([part._tail for part in self._parts()])
            self._all = tuple(joined.from_iterable(tails))
        return self._all

    def newest(self, most: int) -> tuple[Element, ...]:
        """The last ``most`` of them, oldest first; O(``most``)."""
        backwards = joined.from_iterable(reversed(part._tail) for part in self._parts())
        return tuple(islice(backwards, most))[::-1]

    def _with(self, item: Element) -> "Chain[Element]":
        if len(self._tail) < _CHUNK:
            return Chain((*self._tail, item), before=self._before)
        return Chain((item,), before=self)

    def _parts(self) -> Iterator["Chain[Element]"]:
        part: Chain[Element] | None = self
        while part is not None:
            yield part
            part = part._before


Item = TypeVar("Item", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class SliceContent:
    """The items of one slice."""

    items: Chain[SliceItem]
    spilled: int = 0
    """Number of a log's items that were dropped."""


EMPTY: Final = SliceContent(Chain())


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """Frozen; ``apply`` returns a new one. Reading returns the items themselves, not copies."""

    registry: Registry
    held: Mapping[str, SliceContent]
    """By slice name; absent: empty."""
    owner: str = ""
    """The policy that reads it; its own slices take precedence over the run's."""

    def all(self, kind: type[Item]) -> tuple[Item, ...]:
        """Every item of a slice, oldest first."""
        return self.newest(kind, self.count(kind))

    def latest(self, kind: type[Item]) -> Item | None:
        """The newest item of a slice."""
        found = self.newest(kind, 1)
        return found[0] if found else None

    def newest(self, kind: type[Item], most: int) -> tuple[Item, ...]:
        """At most ``most`` of the newest items, oldest first; O(``most``)."""
        slice_ = self.registry.slice_of(kind, self.owner)
        items = self.held.get(slice_.name, EMPTY).items
        wanted = min(most, _visible(slice_, items))
        found = items.all() if wanted == items.length else items.newest(wanted)
        return cast(tuple[Item, ...], found)

    def count(self, kind: type[BaseModel]) -> int:
        """Count the items of a slice."""
        slice_ = self.registry.slice_of(kind, self.owner)
        return _visible(slice_, self.held.get(slice_.name, EMPTY).items)

    def spilled(self, kind: type[BaseModel]) -> int:
        """Count the oldest items of a log that were dropped since the run began."""
        slice_ = self.registry.slice_of(kind, self.owner)
        held = self.held.get(slice_.name, EMPTY)
        return held.spilled + held.items.length - _visible(slice_, held.items)

    def seen_by(self, owner: str) -> "State":
        """The same state, as a policy sees it."""
        return State(self.registry, self.held, owner)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, State) and self._plain() == other._plain()

    def __hash__(self) -> int:
        return hash(tuple((name, spilled, len(items)) for name, (spilled, items) in self._plain().items()))

    def _plain(self) -> dict[str, tuple[int, tuple[BaseModel, ...]]]:
        views = ((one, self.seen_by(one.owner)) for one in self.registry.slices.values())
        return {one.name: (view.spilled(one.kind), view.all(one.kind)) for one, view in views}


def empty_state(registry: Registry) -> State:
    """The state of a run that has done nothing yet."""
    return State(registry, MappingProxyType({}))


def apply(state: State, events: Iterable[BaseModel], *, owner: str = "") -> State:
    """Apply events in order; ``owner``: the policy that returned them.

    All reducers of an event see the state before it. A policy's events change its own slices only, and
    no other events change those.

    Raises:
        BrokenDefinition: an event without a reducer, a reducer that fails or returns an invalid value,
            an item that is not JSON. The state given is unchanged.
    """
    return _folded(state, events, owner, logs_only=False)


def applied_failed(state: State, events: Iterable[BaseModel]) -> State:
    """Apply the events of a failed call: only logs change."""
    return _folded(state, events, "", logs_only=True)


def _folded(state: State, events: Iterable[BaseModel], owner: str, *, logs_only: bool) -> State:
    held = dict(state.held)
    for event in events:
        # Reducers get a copy: the view must not change while the event is applied.
        before = State(state.registry, MappingProxyType(dict(held)), owner)
        for reduction in state.registry.reductions_of(event, owner):
            if not logs_only or reduction.slice.policy == "log":
                held[reduction.slice.name] = _reduced(before, reduction, event)
    return State(state.registry, MappingProxyType(held), state.owner)


def _reduced(before: State, reduction: Reduction, event: BaseModel) -> SliceContent:
    held = before.held.get(reduction.slice.name, EMPTY)
    try:
        op = reduction.reducer(before, event)
    except Exception as error:
        raise _broken(reduction, event, f"failed on {type(event).__name__!r}: {error!r}") from error
    return _spilled(reduction.slice, _changed(held, _checked(reduction, event, op)))


def _checked(reduction: Reduction, event: BaseModel, op: object) -> Op[SliceItem]:
    kind = reduction.slice.kind
    match op:
        case Append(item):
            items: tuple[object, ...] = (item,)
        case Extend(items) | Replace(items):
            pass
        case Clear():
            return op
        case _:
            raise _broken(
                reduction, event, f"returned {op!r}, which is not an Append, Extend, Replace or Clear"
            )
    strangers = [item for item in items if type(item) is not kind]
    if strangers:
        raise _broken(reduction, event, f"returned {strangers[0]!r}, which is not a {kind.__name__}")
    return op


def _changed(held: SliceContent, op: Op[SliceItem]) -> SliceContent:
    match op:
        case Append(item):
            return SliceContent(held.items.extended((round_tripped(item),)), held.spilled)
        case Extend(items):
            return SliceContent(held.items.extended(map(round_tripped, items)), held.spilled)
        case Replace(items):
            return SliceContent(EMPTY.items.extended(_kept(held, items)), held.spilled)
        case Clear():
            return SliceContent(EMPTY.items, held.spilled)


def _kept(held: SliceContent, items: tuple[SliceItem, ...]) -> Iterable[SliceItem]:
    """Items that the slice already has were round-tripped; a replacement often consists of them."""
    known = {id(item) for item in held.items.all()}
    return (item if id(item) in known else round_tripped(item) for item in items)


def _spilled(slice_: Slice, held: SliceContent) -> SliceContent:
    """Truncate a log once it is twice its limit, so that truncation is O(1) per item."""
    if slice_.policy != "log" or held.items.length < 2 * slice_.kind.slice_keep:
        return held
    kept = held.items.newest(slice_.kind.slice_keep)
    return SliceContent(Chain(kept), held.spilled + held.items.length - len(kept))


def _visible(slice_: Slice, items: Chain[SliceItem]) -> int:
    return min(items.length, slice_.kind.slice_keep) if slice_.policy == "log" else items.length


def _broken(reduction: Reduction, event: BaseModel, what: str) -> BrokenDefinition:
    return BrokenDefinition(
        "reducer-failed",
        f"reducer {reduction.name!r} of slice {reduction.slice.name!r} {what}; "
        f"fix it; the state is unchanged",
        reducer=reduction.name,
        slice=reduction.slice.name,
        event=type(event).__name__,
    )
