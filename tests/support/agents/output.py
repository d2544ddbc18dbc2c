"""The smallest agents that answer something, and a state that holds nothing."""

from collections.abc import Callable
from typing import Annotated

from pydantic import BaseModel

from penwright.agents.definition.agent import AgentDefinition, Section
from penwright.agents.definition.output import hidden
from penwright.agents.state import StateView, empty_state, registry

NO_STATE = empty_state(registry(()))


class Scene(BaseModel):
    """An answer with a hidden field."""

    title: str
    words: int
    checked_by: Annotated[str, hidden()] = "nobody"


def an_agent(
    output: type[BaseModel] | None = Scene,
    *,
    repairs: int = 2,
    finalize: Callable[[BaseModel, StateView], BaseModel] | None = None,
) -> AgentDefinition:
    return AgentDefinition(
        namespace="tests",
        key="writer",
        title="Writer",
        sections=(Section(key="task", title="Task", body="Write."),),
        output=output,
        repairs=repairs,
        finalize=finalize,
    )
