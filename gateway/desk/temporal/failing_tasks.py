"""Why a workflow goes no further although a worker serves it: its code raises, again and again."""

from temporalio.api.common.v1 import WorkflowExecution
from temporalio.api.enums.v1 import EventType
from temporalio.api.workflowservice.v1 import GetWorkflowExecutionHistoryReverseRequest
from temporalio.client import Client

_LOOKED_AT = 20
"""Newest events; only signals come between a failed task and the end of a history."""


async def failing_task(client: Client, workflow_id: str) -> str:
    """What the newest task of a workflow failed with, as its code said it; empty if it did not fail."""
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
            return str(await client.data_converter.decode_failure(failure))
    return ""
