"""The input of a role's run over one prompt."""

from typing import TypedDict, Unpack

from pydantic import JsonValue

from penwright.agents.definition.agent import AgentDefinition
from schemas.agent_run import AgentRunInput, RunLimits, RunQueues
from schemas.book_session import BookSessionInput, Brief
from schemas.continuity import ContinuityInput
from schemas.director_round import SceneBrief
from schemas.manuscript_roles import RoleBrief
from schemas.planning import PlanningInput


class Caps(TypedDict, total=False):
    """Fields of ``RunLimits``."""

    model_calls: int
    tool_calls: int
    completion_rounds: int
    total_tokens: int | None
    cost_micros: int | None


def call_input(
    agent: AgentDefinition,
    brief: Brief | RoleBrief | SceneBrief,
    *,
    run_id: str,
    subject: str,
    params: dict[str, JsonValue],
    tag: str = "",
    model_role: str,
    queues: RunQueues,
    **caps: Unpack[Caps],
) -> AgentRunInput:
    """The run calls no tool and is not sent back to work, unless ``caps`` say so."""
    turn = brief.turn_tokens
    limits = RunLimits(
        tool_calls=0,
        completion_rounds=0,
        turn_tokens=turn,
        last_turn_tokens=turn,
        context_tokens=brief.context_tokens if isinstance(brief, Brief) else None,
    )
    return AgentRunInput(
        agent=agent.name,
        run_id=run_id,
        subject=subject,
        task_at=brief.task,
        params=params,
        shared_tag=tag,
        model_role=model_role,
        limits=limits.model_copy(update=caps),
        queues=queues,
    )


def book_call_input(
    given: BookSessionInput | PlanningInput | ContinuityInput,
    brief: Brief,
    agent: AgentDefinition,
    *,
    run_id: str,
    model_role: str,
    **caps: Unpack[Caps],
) -> AgentRunInput:
    """As ``call_input``, of a role that works on a book."""
    return call_input(
        agent,
        brief,
        run_id=run_id,
        subject=given.book_id,
        params=brief.params,
        tag=given.override_tag if isinstance(given, BookSessionInput) else "",
        model_role=model_role,
        queues=RunQueues(models=given.model_queue, tools=given.repo_queue),
        **caps,
    )
