"""The state of a run, and what events make of it: all of it, or nothing."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, TypeVar, cast

from pydantic import BaseModel

from penwright.agents.state.chain import Chain
from penwright.agents.state.declared import Append, Clear, Extend, Op, Replace, SliceItem
from penwright.agents.state.json_form import settled
from penwright.agents.state.slices import Reduction, Registry, Slice
from penwright.errors import BrokenDefinition

Item = TypeVar("Item", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Held:
    """The items of one slice."""

    items: Chain[SliceItem]
    spilled: int = 0
    """Items of a log that are no longer held."""


EMPTY: Final = Held(Chain())


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """Frozen: events make another one. What it hands out are the items themselves."""

    registry: Registry
    held: Mapping[str, Held]
    """By slice name; absent: empty."""
    owner: str = ""
    """The policy that looks at it, and sees its own slices in front of the run's."""

    def all(self, kind: type[Item]) -> tuple[Item, ...]:
        """Every item of a slice, oldest first."""
        return self.newest(kind, self.count(kind))

    def latest(self, kind: type[Item]) -> Item | None:
        """The newest item of a slice."""
        found = self.newest(kind, 1)
        return found[0] if found else None

    def newest(self, kind: type[Item], most: int) -> tuple[Item, ...]:
        """At most so many of the newest items, oldest first; costs what it returns."""
        slice_ = self.registry.slice_of(kind, self.owner)
        items = self.held.get(slice_.name, EMPTY).items
        wanted = min(most, _visible(slice_, items))
        found = items.all() if wanted == items.length else items.newest(wanted)
        return cast(tuple[Item, ...], found)

    def count(self, kind: type[BaseModel]) -> int:
        """How many items a slice holds."""
        slice_ = self.registry.slice_of(kind, self.owner)
        return _visible(slice_, self.held.get(slice_.name, EMPTY).items)

    def spilled(self, kind: type[BaseModel]) -> int:
        """How many items of a log were let go, oldest first, since the run began."""
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
    """What the events make of the state, one after the other; ``owner``: the policy that learned them.

    All reducers of an event see the state before it. A policy's events reach its own slices only, and
    nobody else's reach those.

    Raises:
        BrokenDefinition: an event nobody takes, a reducer that fails or returns what it may not, an item
            that is not JSON. The state given is what it was.
    """
    return _folded(state, events, owner, logs_only=False)


def applied_failed(state: State, events: Iterable[BaseModel]) -> State:
    """What the events of a failed call make of the state: its logs grow, and nothing else changes."""
    return _folded(state, events, "", logs_only=True)


def _folded(state: State, events: Iterable[BaseModel], owner: str, *, logs_only: bool) -> State:
    held = dict(state.held)
    for event in events:
        # Reducers read a state of their own: what they see must not move while they are asked.
        before = State(state.registry, MappingProxyType(dict(held)), owner)
        for reduction in state.registry.reductions_of(event, owner):
            if not logs_only or reduction.slice.policy == "log":
                held[reduction.slice.name] = _reduced(before, reduction, event)
    return State(state.registry, MappingProxyType(held), state.owner)


def _reduced(before: State, reduction: Reduction, event: BaseModel) -> Held:
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
            raise _broken(reduction, event, f"returned {op!r}, which is no Append, Extend, Replace or Clear")
    strangers = [item for item in items if type(item) is not kind]
    if strangers:
        raise _broken(reduction, event, f"returned {strangers[0]!r}, which is no {kind.__name__}")
    return op


def _changed(held: Held, op: Op[SliceItem]) -> Held:
    match op:
        case Append(item):
            return Held(held.items.grown((settled(item),)), held.spilled)
        case Extend(items):
            return Held(held.items.grown(map(settled, items)), held.spilled)
        case Replace(items):
            return Held(EMPTY.items.grown(_kept(held, items)), held.spilled)
        case Clear():
            return Held(EMPTY.items, held.spilled)


def _kept(held: Held, items: tuple[SliceItem, ...]) -> Iterable[SliceItem]:
    """Items the slice holds already are settled, and most of a replacement is often those."""
    known = {id(item) for item in held.items.all()}
    return (item if id(item) in known else settled(item) for item in items)


def _spilled(slice_: Slice, held: Held) -> Held:
    """A log is cut when it is twice as long as it may be, so that cutting costs little per item."""
    if slice_.policy != "log" or held.items.length < 2 * slice_.kind.slice_keep:
        return held
    kept = held.items.newest(slice_.kind.slice_keep)
    return Held(Chain(kept), held.spilled + held.items.length - len(kept))


def _visible(slice_: Slice, items: Chain[SliceItem]) -> int:
    return min(items.length, slice_.kind.slice_keep) if slice_.policy == "log" else items.length


def _broken(reduction: Reduction, event: BaseModel, what: str) -> BrokenDefinition:
    return BrokenDefinition(
        "reducer-failed",
        f"reducer {reduction.name!r} of slice {reduction.slice.name!r} {what}; "
        f"mend it, the state is as it was before",
        reducer=reduction.name,
        slice=reduction.slice.name,
        event=type(event).__name__,
    )
