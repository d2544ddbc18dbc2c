"""Queries of all pipelines' adapters to an execution: its state, and the result that a failed one told."""

from datetime import timedelta
from typing import Any, TypeVar

from pydantic import BaseModel
from temporalio.client import (
    Client,
    WorkflowExecutionDescription,
    WorkflowFailureError,
    WorkflowHandle,
    WorkflowQueryFailedError,
)
from temporalio.exceptions import ApplicationError
from temporalio.service import RPCError, RPCStatusCode

from gateway.desk.engine.pipelines import Message
from schemas.control import KillRequest
from workflows.steering import Steered

ANSWER_TIMEOUT = timedelta(seconds=5)
"""Time a question to a running workflow may take; longer means that no worker is there."""
Result = TypeVar("Result", bound=BaseModel)


async def described(client: Client, workflow_id: str) -> WorkflowExecutionDescription | None:
    """Describe an execution; None if there never was one, or if Temporal has forgotten it."""
    try:
        return await client.get_workflow_handle(workflow_id).describe(rpc_timeout=ANSWER_TIMEOUT)
    except RPCError as error:
        if error.status == RPCStatusCode.NOT_FOUND:
            return None
        raise


async def ended(handle: WorkflowHandle[Any, Result], kind: type[Result]) -> Result:
    """Wait for the end of a run; its result, also if it failed and carries it in its failure."""
    try:
        return await handle.result()
    except WorkflowFailureError as failure:
        if (ending := _told_result(failure, kind)) is not None:
            return ending
        raise


async def send(handle: WorkflowHandle[Any, Any], message: Message) -> None:
    """Kill, pause or resume a run."""
    if isinstance(message, KillRequest):
        await handle.signal(Steered.kill, message, rpc_timeout=ANSWER_TIMEOUT)
    else:
        await handle.signal(message, rpc_timeout=ANSWER_TIMEOUT)


async def hears(handle: WorkflowHandle[Any, Any]) -> bool:
    """Whether a run answers. It answers a query after every signal before it: that acknowledges them."""
    try:
        await handle.query(Steered.progress, rpc_timeout=ANSWER_TIMEOUT)
    except (RPCError, WorkflowQueryFailedError):
        return False
    return True


def _told_result(failure: WorkflowFailureError, kind: type[Result]) -> Result | None:
    """The result that a failed run carries in its failure; None if it carries none."""
    cause = failure.cause
    if not isinstance(cause, ApplicationError) or not cause.details:
        return None
    detail = cause.details[0]
    is_result = isinstance(detail, dict) and "outcome" in detail
    return kind.model_validate(detail) if is_result else None
