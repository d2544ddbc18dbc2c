"""The sections that the model has opened, as a slice of the state."""

from typing import ClassVar

from penwright.agents.state import SliceItem, StateView


class SectionOpened(SliceItem):
    """The model opened a summarised section."""

    event_name: ClassVar[str] = "penwright.section-opened"

    path: str
    told: tuple[str, ...] = ()
    """Sections whose bodies the conversation holds, because a call returned them. The prompt still shows
    the summary of the opened one, so that no earlier message changes."""
    named: tuple[str, ...] = ()
    """Sections below it whose summaries the conversation holds."""


def opened_paths(state: StateView) -> frozenset[str]:
    """Sections that were opened."""
    return frozenset(each.path for each in state.all(SectionOpened))


def told_paths(state: StateView) -> frozenset[str]:
    """Sections whose bodies the conversation holds."""
    return frozenset(path for each in state.all(SectionOpened) for path in each.told)


def named_paths(state: StateView) -> frozenset[str]:
    """Sections whose summaries the conversation holds."""
    return frozenset(path for each in state.all(SectionOpened) for path in each.named)
