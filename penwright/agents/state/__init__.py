"""State as slices of typed values, changed by pure reducers over typed events."""

from penwright.agents.state.declared import (
    Append,
    Clear,
    Event,
    Extend,
    Item,
    Op,
    Reducer,
    Replace,
    SliceItem,
    StateView,
    Upcaster,
)
from penwright.agents.state.folding import State, applied_failed, apply, empty_state
from penwright.agents.state.keyed import one_per, put
from penwright.agents.state.serialization import at_rest, event_at_rest, event_from_rest, from_rest
from penwright.agents.state.slices import Registry, Slice, registry

__all__ = (
    "Append",
    "Clear",
    "Event",
    "Extend",
    "Item",
    "Op",
    "Reducer",
    "Registry",
    "Replace",
    "Slice",
    "SliceItem",
    "State",
    "StateView",
    "Upcaster",
    "applied_failed",
    "apply",
    "at_rest",
    "empty_state",
    "event_at_rest",
    "event_from_rest",
    "from_rest",
    "one_per",
    "put",
    "registry",
)
