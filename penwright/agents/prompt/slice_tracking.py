"""Which slices of the state a rendering looks at, so that no others need to travel."""

from dataclasses import dataclass, field

from pydantic import BaseModel

from penwright.agents.definition.agent import AgentDefinition
from penwright.agents.definition.opened_sections import opened_paths
from penwright.agents.prompt.parameters import Parameters
from penwright.agents.prompt.section_tree import stand
from penwright.agents.state import StateView
from penwright.agents.state.declared import Item


@dataclass(frozen=True, slots=True)
class _Watched:
    """A view that remembers what it was asked for."""

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


def slices_looked_at(
    definition: AgentDefinition, parameters: Parameters, state: StateView
) -> tuple[type[BaseModel], ...]:
    """The types a rendering in this state asks for, in the order in which it asks."""
    watched = _Watched(state)
    stand(definition, parameters, watched, opened=opened_paths(watched))
    return tuple(watched.seen)
