"""One answer of a role that works outside of rounds, such as the creator: a run of its agent, to its end."""

import asyncio
from dataclasses import dataclass
from typing import Generic, TypeVar

from gateway.desk.agents import runs
from gateway.desk.agents.runs import RunRequest
from gateway.desk.engine.waits import Wait
from gateway.desk.services import Services
from penwright.errors import PermanentError
from schemas.agent_run import AgentRunInput, AgentRunResult, RunLimits
from schemas.scene_roles import SceneDelivery

Delivered = TypeVar("Delivered", bound=SceneDelivery)
_MODEL_CALLS = 4
"""A reply and its repair, with room so that neither is taken for the last turn."""


@dataclass(frozen=True, slots=True)
class RoleCall:
    """Call of an agent for one task."""

    agent: str
    task: str
    subject: str
    """Whose budget pays, such as ``scene/harbour``."""
    model_role: str


@dataclass(frozen=True, slots=True)
class Answer(Generic[Delivered]):
    """Answer to a call, and its cost."""

    delivered: Delivered
    run_id: str
    cost_micros: int
    unknown_prices: int


async def answered(
    services: Services, call: RoleCall, kind: type[Delivered], wait: Wait
) -> Answer[Delivered]:
    """Have the role answer; the run and its answer stay, whatever becomes of the caller.

    Raises:
        PermanentError: with the code of the run's end, if it ended without an answer.
    """
    given = await asyncio.to_thread(_order, services, call)
    _, ended = await runs.start(services, given, wait)
    assert ended is not None, "it was waited for"
    if ended.outcome != "completed":
        raise _failure(ended)
    spent = ended.spent
    return Answer(kind.model_validate(ended.output), ended.run_id, spent.cost_micros, spent.unknown_prices)


def _order(services: Services, call: RoleCall) -> AgentRunInput:
    limits = RunLimits(model_calls=_MODEL_CALLS, tool_calls=0, completion_rounds=0)
    request = RunRequest(
        agent=call.agent,
        task="",
        params={},
        flags={},
        limits=limits,
        subject=call.subject,
        model_role=call.model_role,
    )
    with services.open_store() as store:
        task = store.blobs.put(call.task.encode("utf-8", "surrogatepass"))
    return runs.order_of(services, request).model_copy(update={"task_at": task})


def _failure(ended: AgentRunResult) -> PermanentError:
    return PermanentError(
        ended.code or ended.outcome,
        ended.message or f"the run of {ended.agent} ended without an answer",
        hint=f"`penwright run show {ended.run_id}` shows what was asked and answered",
    )
