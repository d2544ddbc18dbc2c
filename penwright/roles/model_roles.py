"""The roles that settings map to models: what each asks its model for, and what a trial asks in its place."""

from dataclasses import dataclass

from pydantic import BaseModel

from penwright.agents.definition.agent import AgentDefinition
from penwright.agents.definition.output import final_answer
from penwright.agents.loop.turn_request import Turn, turn_request
from penwright.agents.prompt.parameters import bind
from penwright.agents.prompt.rendering import render
from penwright.agents.state import empty_state
from penwright.roles.ink_clerk.briefing import ANSWER_TOKENS as READING
from penwright.roles.ink_clerk.definition import CLERK
from penwright.roles.ink_clerk.definition import EXAMPLE as A_PASSAGE
from penwright.roles.ink_clerk.role_call import ROLE as READER
from penwright.roles.ink_editor.definition import INK_EDITOR
from penwright.roles.ink_session_editor import briefing as editors_briefing
from penwright.roles.ink_session_editor.definition import EXAMPLE as A_DRAFT
from penwright.roles.ink_session_editor.definition import SESSION_EDITOR
from penwright.roles.ink_session_editor.role_call import ROLE as EDITOR
from penwright.roles.ink_writer import briefing as writers_briefing
from penwright.roles.ink_writer.definition import EXAMPLE as A_SESSION
from penwright.roles.ink_writer.definition import INK_WRITER
from penwright.roles.ink_writer.role_call import ROLE as WRITER
from penwright.roles.manuscript.cast import ROLES as MANUSCRIPT
from penwright.roles.scene.cast import ROLES as SCENE
from penwright.roles.tasks.task_params import TaskParams
from schemas.agent import AgentMessage
from schemas.agent_run import RunLimits
from schemas.base import Effect
from schemas.model import BudgetScope, ModelRequest
from schemas.worlds import SceneSettings

AGENT = "agent"
"""The role of agents that people start by `run start`, unless they name another."""
_SESSION_WORDS = 1_000
_TRIAL = "This is a trial, and there is no material yet. "
_PROSE = f"{_TRIAL}Answer with one plain sentence about the sea at dawn, whatever form was asked for."
_JSON = f"{_TRIAL}Answer with a short, made-up example in the form that is asked for."
_TOOL = f"{_TRIAL}Call the tool `{{name}}` once, with arguments that you make up."


@dataclass(frozen=True, slots=True)
class ModelRole:
    """One role, and the most it wants answered."""

    name: str
    """As settings have it."""
    definition: AgentDefinition
    answer_tokens: int
    params: tuple[BaseModel, ...] = ()
    """Examples, to render its prompt with."""


MODEL_ROLES = (
    ModelRole(WRITER, INK_WRITER, writers_briefing.answer_tokens(_SESSION_WORDS), A_SESSION),
    ModelRole(EDITOR, SESSION_EDITOR, editors_briefing.answer_tokens("word " * _SESSION_WORDS), A_DRAFT),
    ModelRole(READER, CLERK, READING, A_PASSAGE),
    *(
        ModelRole(each.model_role, each.definition, each.answer_tokens, (TaskParams(sentences=9),))
        for each in MANUSCRIPT.values()
    ),
    *(ModelRole(name, each, SceneSettings().answer_tokens) for name, each in SCENE.items()),
    ModelRole(AGENT, INK_EDITOR, RunLimits().turn_tokens),
)


def trial_request(role: ModelRole, effect: Effect, scope: BudgetScope) -> ModelRequest:
    """The request of the role's first turn, with a short task that needs no material."""
    definition = role.definition
    rendered = render(definition, bind(definition, role.params), empty_state(definition.registry))
    task = _JSON if definition.asks_for else _PROSE
    if rendered.offers:
        task = _TOOL.format(name=rendered.offers[0].name)
    turn = Turn(
        effect=effect,
        role=role.name,
        scope=scope,
        system=rendered.text,
        messages=(AgentMessage(role="user", content=task),),
        offers=rendered.offers,
        answer=final_answer(definition.asks_for) if definition.asks_for else None,
        max_output_tokens=role.answer_tokens,
    )
    return turn_request(turn)
