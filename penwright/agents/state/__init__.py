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
from penwright.agents.state.serialization import dump_event, dump_state, load_event, load_state
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
    "dump_event",
    "dump_state",
    "empty_state",
    "load_event",
    "load_state",
    "one_per",
    "put",
    "registry",
)
