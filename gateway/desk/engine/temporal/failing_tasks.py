"""Reasons why a workflow goes no further although workers run, and what ends it."""

import shlex

from temporalio.api.common.v1 import WorkflowExecution
from temporalio.api.enums.v1 import EventType
from temporalio.api.workflowservice.v1 import GetWorkflowExecutionHistoryReverseRequest
from temporalio.client import Client, WorkflowExecutionStatus
from temporalio.service import RPCError

from gateway.desk.engine.pipelines import Acknowledgement
from gateway.desk.engine.temporal.executions import described
from penwright.errors import UsageMistake
from schemas.base import Progress

STUCK = "stuck"
"""Stage of a run that goes no further."""
_LOOKED_AT = 20
"""Newest events; only signals come between a failed task and the end of a history."""


async def failing_task(client: Client, workflow_id: str) -> str:
    """Read the failure of a workflow's newest task, as its code said it; empty if it did not fail."""
    request = GetWorkflowExecutionHistoryReverseRequest(
        namespace=client.namespace,
        execution=WorkflowExecution(workflow_id=workflow_id),
        maximum_page_size=_LOOKED_AT,
    )
    answer = await client.workflow_service.get_workflow_execution_history_reverse(request)
    for event in answer.history.events:
        if event.event_type == EventType.EVENT_TYPE_WORKFLOW_TASK_COMPLETED:
            return ""
        if event.event_type == EventType.EVENT_TYPE_WORKFLOW_TASK_FAILED:
            failure = event.workflow_task_failed_event_attributes.failure
            try:
                return str(await client.data_converter.decode_failure(failure))
            except UsageMistake as unreadable:
                return f"{unreadable.code}: {unreadable.message}"
    return ""


async def why_stuck(client: Client, workflow_id: str, queue: str) -> str:
    """Explain why a running workflow goes no further, and the command that ends it; empty if nothing is
    known.

    Args:
        queue: the task queue of our workers.
    """
    try:
        found = await described(client, workflow_id)
        if found is None or found.status != WorkflowExecutionStatus.RUNNING:
            return ""
        if found.task_queue != queue:
            why = f"it was started for the task queue {found.task_queue!r}, which no worker here serves"
        elif raised := await failing_task(client, workflow_id):
            why = f"its task fails again and again: {raised.rstrip('.')}"
        else:
            return ""
    except RPCError:
        return ""
    return f"{why}; unless a repair helps, `{termination(client, workflow_id)}` ends it"


def termination(client: Client, workflow_id: str) -> str:
    """The command with which Temporal ends a workflow without asking it."""
    return shlex.join(
        [
            *("temporal", "workflow", "terminate", "--workflow-id", workflow_id),
            *("--address", client.service_client.config.target_host),
            *(("--namespace", client.namespace) if client.namespace != "default" else ()),
        ]
    )


async def with_trouble(listed: Progress, client: Client, workflow_id: str, queue: str) -> Progress:
    """Progress of a run that does not answer, as listed; if it is stuck, with the reason and what ends it."""
    why = await why_stuck(client, workflow_id, queue)
    return listed.model_copy(update={"stage": STUCK, "detail": why}) if why else listed


async def acknowledgement(client: Client, workflow_id: str, queue: str, *, heard: bool) -> Acknowledgement:
    """That a run confirmed a message, or did not; then also why, as far as that is known."""
    stuck = "" if heard else await why_stuck(client, workflow_id, queue)
    return Acknowledgement(found="session", heard=heard, stuck=stuck)
