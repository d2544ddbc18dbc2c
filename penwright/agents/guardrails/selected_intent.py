"""The intent that a run works under, as a slice of the state."""

from collections.abc import Mapping
from typing import ClassVar

from penwright.agents.state import Event, Op, Reducer, Replace, SliceItem, StateView


class SelectedIntent(SliceItem):
    """The intent selected last, from the event of the selecting tool."""

    event_name: ClassVar[str] = "penwright.selected-intent"

    intent_id: str
    digest: str
    """Digest of its entry when it was selected."""

    @classmethod
    def reducers(cls) -> Mapping[type[Event], Reducer]:
        return {cls: _selected}


def _selected(_state: StateView, event: SelectedIntent) -> Op[SelectedIntent]:
    return Replace((event,))
