"""Which sections the model has opened, as a slice of the state."""

from typing import ClassVar

from penwright.agents.state import SliceItem, StateView


class SectionOpened(SliceItem):
    """A summarised section that stands open from now on."""

    event_name: ClassVar[str] = "penwright.section-opened"

    path: str
    told: tuple[str, ...] = ()
    """Sections whose bodies stand in the conversation, because a call answered with them. The prompt goes
    on showing the summary of the one that was opened, so that no earlier message changes."""
    named: tuple[str, ...] = ()
    """Sections below it whose summaries stand there."""


def opened_paths(state: StateView) -> frozenset[str]:
    """Sections that were opened."""
    return frozenset(each.path for each in state.all(SectionOpened))


def told_paths(state: StateView) -> frozenset[str]:
    """Sections whose bodies stand in the conversation."""
    return frozenset(path for each in state.all(SectionOpened) for path in each.told)


def named_paths(state: StateView) -> frozenset[str]:
    """Sections whose summaries stand in the conversation."""
    return frozenset(path for each in state.all(SectionOpened) for path in each.named)
