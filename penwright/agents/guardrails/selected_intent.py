"""The intent a run works for."""

from collections.abc import Mapping
from typing import ClassVar

from penwright.agents.state import Event, Op, Reducer, Replace, SliceItem, StateView


class SelectedIntent(SliceItem):
    """The one selected last; the tool that selects tells it."""

    event_name: ClassVar[str] = "penwright.selected-intent"

    intent_id: str
    digest: str
    """Of its entry, as it was worded then."""

    @classmethod
    def reducers(cls) -> Mapping[type[Event], Reducer]:
        return {cls: _selected}


def _selected(_state: StateView, event: SelectedIntent) -> Op[SelectedIntent]:
    return Replace((event,))
