"""The slices of a run, and which of them an event changes. The order of declaration does not matter."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from pydantic import BaseModel
from pydantic.errors import PydanticUserError

from penwright.agents.state.declared import Append, Event, Reducer, SliceItem, StateView
from penwright.errors import BrokenDefinition
from schemas.agent import SlicePolicy

_NAME: Final = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")


@dataclass(frozen=True, slots=True)
class Slice:
    """A slice of a run's state."""

    name: str
    """Of its items; a policy's own slices are prefixed with its name: ``read-first/reads``."""
    kind: type[SliceItem]
    owner: str
    """The policy whose memory it is, and that alone may change it; empty: the run's."""

    @property
    def policy(self) -> SlicePolicy:
        return self.kind.slice_policy


@dataclass(frozen=True, slots=True)
class Reduction:
    """One slice's answer to one type of event."""

    slice: Slice
    reducer: Reducer
    name: str
    """Name of the reducer, for error messages."""


@dataclass(frozen=True, slots=True)
class Registry:
    """All slices of a run, and the events they know."""

    slices: Mapping[str, Slice]
    """By name, in the order of names."""
    kinds: Mapping[tuple[str, type[BaseModel]], Slice]
    """By owner and type of item."""
    reductions: Mapping[tuple[str, type[BaseModel]], tuple[Reduction, ...]]
    """By owner and type of event."""
    events: Mapping[str, type[Event]]
    """By name; of the run's own slices, since only those take events from outside."""

    def slice_of(self, kind: type[BaseModel], owner: str = "") -> Slice:
        """The owner's slice of these items, else the run's."""
        found = self.kinds.get((owner, kind)) or self.kinds.get(("", kind))
        if found is None:
            raise BrokenDefinition(
                "unknown-slice",
                f"no slice holds {kind.__name__!r}; declare it in the definition's slices",
                slice=kind.__name__,
            )
        return found

    def reductions_of(self, event: BaseModel, owner: str) -> tuple[Reduction, ...]:
        """Reductions of the owner's slices by an event."""
        found = self.reductions.get((owner, type(event)))
        if found is None:
            whose = f"of policy {owner!r}" if owner else "of the definition"
            raise BrokenDefinition(
                "unknown-event",
                f"no slice {whose} takes the event {type(event).__name__!r}; declare a slice that does",
                event=type(event).__name__,
            )
        return found


def registry(
    slices: Iterable[type[BaseModel]],
    memories: Mapping[str, Sequence[type[BaseModel]]] = MappingProxyType({}),
) -> Registry:
    """The slices of a run, those of its policies by policy name.

    Raises:
        BrokenDefinition: a slice has no usable name, shares it, or cannot be written as JSON.
    """
    declared = [_slice(kind, "") for kind in slices]
    declared += [_slice(kind, owner) for owner, kinds in memories.items() for kind in kinds]
    named = _unique(sorted(declared, key=lambda one: one.name))
    return Registry(
        slices=MappingProxyType(named),
        kinds=MappingProxyType({(one.owner, one.kind): one for one in named.values()}),
        reductions=MappingProxyType(_reductions(named.values())),
        events=MappingProxyType(_events(named.values())),
    )


def _slice(kind: type[BaseModel], owner: str) -> Slice:
    if not issubclass(kind, SliceItem):
        raise BrokenDefinition(
            "bad-slice",
            f"{kind.__name__!r} is not a slice; derive it from SliceItem and give it an event_name",
        )
    for event in (kind, *kind.reducers()):
        _check_event(event)
    if kind.slice_policy == "log" and kind.slice_keep < 1:
        raise BrokenDefinition(
            "bad-slice", f"log {kind.event_name!r} keeps nothing; let slice_keep be 1 or more"
        )
    return Slice(f"{owner}/{kind.event_name}" if owner else kind.event_name, kind, owner)


def _check_event(kind: type[Event]) -> None:
    name = getattr(kind, "event_name", "")
    if not _NAME.fullmatch(name):
        raise BrokenDefinition(
            "bad-slice", f"{kind.__name__!r} has the event_name {name!r}; use 1 to 64 of a-z0-9._-"
        )
    _check_versions(kind)
    try:
        kind.model_json_schema(mode="serialization")
    except PydanticUserError as error:
        raise BrokenDefinition(
            "not-json", f"{name!r} ({kind.__name__}) has no JSON form: {error.message}; use plain types"
        ) from error


def _check_versions(kind: type[Event]) -> None:
    starts = sorted(kind.upcasters())
    wanted = list(range(starts[0] if starts else kind.event_version, kind.event_version))
    if kind.event_version < 1 or starts != wanted or (starts and starts[0] < 1):
        raise BrokenDefinition(
            "bad-slice",
            f"{kind.event_name!r} version {kind.event_version} has upcasters from {starts}; "
            f"give one from each version since the oldest that is read",
        )


def _unique(slices: Iterable[Slice]) -> dict[str, Slice]:
    named: dict[str, Slice] = {}
    for one in slices:
        if named.setdefault(one.name, one) is not one:
            raise BrokenDefinition(
                "bad-slice", f"two slices are called {one.name!r}; declare each once, under a unique name"
            )
    return named


def _reductions(slices: Iterable[Slice]) -> dict[tuple[str, type[BaseModel]], tuple[Reduction, ...]]:
    found: dict[tuple[str, type[BaseModel]], tuple[Reduction, ...]] = {}
    for one in slices:
        for event, reducer in {one.kind: _append, **one.kind.reducers()}.items():
            reduction = Reduction(one, reducer, getattr(reducer, "__qualname__", repr(reducer)))
            found[one.owner, event] = (*found.get((one.owner, event), ()), reduction)
    return found


def _append(_state: StateView, event: SliceItem) -> Append[SliceItem]:
    return Append(event)


def _events(slices: Iterable[Slice]) -> dict[str, type[Event]]:
    named: dict[str, type[Event]] = {}
    for one in slices:
        for kind in (one.kind, *one.kind.reducers()) if not one.owner else ():
            if named.setdefault(kind.event_name, kind) is not kind:
                raise BrokenDefinition(
                    "bad-slice",
                    f"two events are called {kind.event_name!r}: {named[kind.event_name].__name__!r} "
                    f"and {kind.__name__!r}; rename one",
                )
    return named
