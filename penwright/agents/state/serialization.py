"""Dump state and events, and load them in any process that has the definition."""

from collections.abc import Collection
from types import MappingProxyType

from pydantic import BaseModel

from penwright.agents.state.declared import Event
from penwright.agents.state.folding import EMPTY, SliceContent, State
from penwright.agents.state.json_form import dump, load
from penwright.agents.state.slices import Registry, Slice
from penwright.errors import BrokenDefinition
from schemas.agent import SerializedEvent, SerializedSlice, SerializedState


def dump_state(state: State, kinds: Collection[type[BaseModel]] | None = None) -> SerializedState:
    """The state as JSON, in the order of slice names; ``kinds``: only these of the run's slices.

    Empty slices are left out, so that an unused one can be removed from the definition.
    """
    wanted = None if kinds is None else {state.registry.slice_of(kind).name for kind in kinds}
    chosen = (one for name, one in state.registry.slices.items() if wanted is None or name in wanted)
    dumped = (_dump_slice(state.seen_by(one.owner), one) for one in chosen)
    return SerializedState(slices=tuple(one for one in dumped if one.items or one.spilled))


def load_state(rest: SerializedState, registry: Registry) -> State:
    """Load a state that this or an older build dumped.

    Raises:
        BrokenDefinition: ``unknown-slice``, or a version that cannot be read; the slice is named.
    """
    held = {one.name: _held(_known(one.name, registry), one) for one in rest.slices}
    return State(registry, MappingProxyType(held))


def dump_event(event: BaseModel) -> SerializedEvent:
    """Dump an event, to be sent to another process."""
    if not isinstance(event, Event):
        raise BrokenDefinition(
            "unknown-event", f"{type(event).__name__!r} is not an event; derive it from Event and name it"
        )
    return SerializedEvent(name=event.event_name, version=event.event_version, data=dump(event))


def load_event(rest: SerializedEvent, registry: Registry) -> Event:
    """Load an event that this or an older build dumped."""
    kind = registry.events.get(rest.name)
    if kind is None:
        raise BrokenDefinition(
            "unknown-event", f"no slice takes the event {rest.name!r}; declare one that does", event=rest.name
        )
    return load(kind, rest.version, rest.data)


def _dump_slice(state: State, one: Slice) -> SerializedSlice:
    return SerializedSlice(
        name=one.name,
        version=one.kind.event_version,
        policy=one.policy,
        items=tuple(dump(item) for item in state.all(one.kind)),
        spilled=state.spilled(one.kind),
    )


def _known(name: str, registry: Registry) -> Slice:
    if name not in registry.slices:
        raise BrokenDefinition(
            "unknown-slice",
            f"this build has no slice {name!r}; run a build that knows it, or declare it again",
            slice=name,
        )
    return registry.slices[name]


def _held(slice_: Slice, rest: SerializedSlice) -> SliceContent:
    items = (load(slice_.kind, rest.version, item) for item in rest.items)
    return SliceContent(EMPTY.items.extended(items), rest.spilled)
