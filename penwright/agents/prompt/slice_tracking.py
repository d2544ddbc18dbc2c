"""Find the state slices that a rendering reads; a model call is sent no others."""

from dataclasses import dataclass, field

from pydantic import BaseModel

from penwright.agents.definition.agent import AgentDefinition
from penwright.agents.definition.opened_sections import opened_paths
from penwright.agents.prompt.parameters import Parameters
from penwright.agents.prompt.section_tree import enabled_sections
from penwright.agents.state import StateView
from penwright.agents.state.declared import Item


@dataclass(frozen=True, slots=True)
class _RecordingView:
    """A view that records which slices are read."""

    state: StateView
    seen: dict[type[BaseModel], None] = field(default_factory=dict)

    def all(self, kind: type[Item]) -> tuple[Item, ...]:
        self.seen[kind] = None
        return self.state.all(kind)

    def latest(self, kind: type[Item]) -> Item | None:
        self.seen[kind] = None
        return self.state.latest(kind)

    def newest(self, kind: type[Item], most: int) -> tuple[Item, ...]:
        self.seen[kind] = None
        return self.state.newest(kind, most)


def slices_read(
    definition: AgentDefinition, parameters: Parameters, state: StateView
) -> tuple[type[BaseModel], ...]:
    """The types of slices that a rendering in this state reads, in order of first use."""
    view = _RecordingView(state)
    enabled_sections(definition, parameters, view, opened=opened_paths(view))
    return tuple(view.seen)
