"""Activities that a workflow waits for, with their attempts, as Temporal describes them."""

from datetime import UTC, datetime, timedelta

from google.protobuf.timestamp_pb2 import Timestamp
from temporalio.api.workflow.v1 import PendingActivityInfo
from temporalio.client import Client, WorkflowExecutionStatus

from gateway.desk.pipelines import StepUnderWay
from gateway.desk.temporal.errors import translated
from penwright.errors import NotFound

_ANSWER_TIMEOUT = timedelta(seconds=5)
_LONGEST = 500
"""Characters of what an attempt failed with."""


async def steps_under_way(client: Client, workflow_id: str) -> tuple[StepUnderWay, ...]:
    """Those of the newest run of a workflow; none once it has ended.

    Raises:
        NotFound: ``unknown-run``.
    """

    def missing() -> NotFound:
        return NotFound("unknown-run", f"the engine knows no run of {workflow_id!r}")

    async with translated(missing, thing="run"):
        described = await client.get_workflow_handle(workflow_id).describe(rpc_timeout=_ANSWER_TIMEOUT)
    if described.status != WorkflowExecutionStatus.RUNNING:
        return ()  # what was under way when it was ended is still listed
    return tuple(_step(each) for each in described.raw_description.pending_activities)


def _step(found: PendingActivityInfo) -> StepUnderWay:
    return StepUnderWay(
        name=found.activity_type.name,
        attempt=max(found.attempt, 1),
        since=_moment(found.last_started_time),
        again_at=_moment(found.next_attempt_schedule_time),
        trouble=found.last_failure.message[:_LONGEST],
    )


def _moment(at: Timestamp) -> datetime | None:
    return at.ToDatetime(tzinfo=UTC) if at.seconds else None
