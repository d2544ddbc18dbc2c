"""State and events at rest, and back in any process that knows the definition."""

from collections.abc import Collection
from types import MappingProxyType

from pydantic import BaseModel

from penwright.agents.state.declared import Event
from penwright.agents.state.folding import EMPTY, Held, State
from penwright.agents.state.json_form import read, written
from penwright.agents.state.slices import Registry, Slice
from penwright.errors import BrokenDefinition
from schemas.agent import SerializedEvent, SerializedSlice, SerializedState


def dump_state(state: State, kinds: Collection[type[BaseModel]] | None = None) -> SerializedState:
    """The state as JSON, in the order of slice names; ``kinds``: only these of the run's slices.

    A slice that holds nothing is left out, so that one nobody used may leave the definition.
    """
    wanted = None if kinds is None else {state.registry.slice_of(kind).name for kind in kinds}
    chosen = (one for name, one in state.registry.slices.items() if wanted is None or name in wanted)
    rested = (_slice_at_rest(state.seen_by(one.owner), one) for one in chosen)
    return SerializedState(slices=tuple(one for one in rested if one.items or one.spilled))


def load_state(rest: SerializedState, registry: Registry) -> State:
    """The state that was put to rest, perhaps by an older build.

    Raises:
        BrokenDefinition: ``unknown-slice``, or a version that cannot be read; the slice is named.
    """
    held = {one.name: _held(_known(one.name, registry), one) for one in rest.slices}
    return State(registry, MappingProxyType(held))


def dump_event(event: BaseModel) -> SerializedEvent:
    """An event on its way out of the process where it happened."""
    if not isinstance(event, Event):
        raise BrokenDefinition(
            "unknown-event", f"{type(event).__name__!r} is no event; derive it from Event and name it"
        )
    return SerializedEvent(name=event.event_name, version=event.event_version, data=written(event))


def load_event(rest: SerializedEvent, registry: Registry) -> Event:
    """The event that happened elsewhere, perhaps under an older build."""
    kind = registry.events.get(rest.name)
    if kind is None:
        raise BrokenDefinition(
            "unknown-event", f"no slice takes the event {rest.name!r}; declare one that does", event=rest.name
        )
    return read(kind, rest.version, rest.data)


def _slice_at_rest(state: State, one: Slice) -> SerializedSlice:
    return SerializedSlice(
        name=one.name,
        version=one.kind.event_version,
        policy=one.policy,
        items=tuple(written(item) for item in state.all(one.kind)),
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


def _held(slice_: Slice, rest: SerializedSlice) -> Held:
    items = (read(slice_.kind, rest.version, item) for item in rest.items)
    return Held(EMPTY.items.grown(items), rest.spilled)
