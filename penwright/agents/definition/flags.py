"""Flags: what an experiment may set, as a slice of the state that conditions, policies and tools read."""

from collections.abc import Mapping

from penwright.agents.state import Event, Op, Reducer, Replace, SliceItem, StateView


class Flags(SliceItem):
    """A definition's own flags, every one with a default; ``state.latest`` of their type tells them.

    They are set when the run begins and stay what they are: nothing but the run's input sets them.
    """

    @classmethod
    def reducers(cls) -> Mapping[type[Event], Reducer]:
        return {cls: _set}


def _set(_state: StateView, event: Flags) -> Op[Flags]:
    return Replace((event,))
