"""A module of agents whose definition is wrong: a branch that is never enabled has a tool a second time."""

from pydantic import BaseModel

from penwright.agents.definition.agent import AgentDefinition, Section
from penwright.agents.state import StateView
from penwright.roles import catalogue
from tests.support.workflows.librarian import READ


def _never(params: BaseModel | None, state: StateView) -> bool:
    return False


AGENTS = (
    catalogue.Entry(
        AgentDefinition(
            namespace="test",
            key="broken",
            title="A broken one",
            sections=(
                Section(key="desk", title="Desk", body="Read.", tools=(READ,)),
                Section(key="annex", title="Annex", body="Read too.", tools=(READ,), enabled=_never),
            ),
        )
    ),
)
