"""Flags: values an experiment may set, kept as a slice that conditions, policies and tools read."""

from collections.abc import Mapping

from penwright.agents.state import Event, Op, Reducer, Replace, SliceItem, StateView


class Flags(SliceItem):
    """A definition's own flags, each with a default; read them by ``state.latest`` of their type.

    The run's input sets them at the start; they never change afterwards.
    """

    @classmethod
    def reducers(cls) -> Mapping[type[Event], Reducer]:
        return {cls: _set}


def _set(_state: StateView, event: Flags) -> Op[Flags]:
    return Replace((event,))
