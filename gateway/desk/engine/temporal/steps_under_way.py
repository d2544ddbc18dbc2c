"""Activities that a workflow waits for, with their attempts, as Temporal describes them."""

from contextlib import suppress
from datetime import UTC, datetime, timedelta

from google.protobuf.timestamp_pb2 import Timestamp
from pydantic import ValidationError
from temporalio.api.workflow.v1 import PendingActivityInfo
from temporalio.client import Client, WorkflowExecutionDescription, WorkflowExecutionStatus
from temporalio.converter import DataConverter

from gateway.desk.engine.pipelines import StepUnderWay
from gateway.desk.engine.temporal.errors import translated
from penwright.domain.text.escaping import clipped
from penwright.errors import NotFound
from schemas.base import Progress
from schemas.queue_time import PermitWait

_ANSWER_TIMEOUT = timedelta(seconds=5)
_LONGEST = 500
"""Characters of what an attempt failed with."""
_FEW = 160
"""Of them, where a step is told in a line."""
_RETRIED = "retried"
"""Code of a failure that has none, such as that of a worker that is gone."""


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


def retried(progress: Progress, described: WorkflowExecutionDescription | None) -> Progress:
    """``progress``, with what its newest step failed with and when that is tried again, if it did."""
    failed = [
        each
        for each in (described.raw_description.pending_activities if described else ())
        if each.attempt > 1 and each.HasField("last_failure")
    ]
    if not failed:
        return progress
    newest = max(failed, key=lambda each: each.attempt)
    code = newest.last_failure.application_failure_info.type or _RETRIED
    detail = f"{progress.detail or progress.stage}; {_retry(_step(newest))}"
    return progress.model_copy(update={"detail": detail, "code": code})


async def arriving(
    progress: Progress, described: WorkflowExecutionDescription | None, converter: DataConverter
) -> Progress:
    """``progress``, with the tokens that have come of the answer that a model gives it now."""
    for each in described.raw_description.pending_activities if described else ():
        said = (await converter.decode(each.heartbeat_details.payloads))[:1]
        with suppress(ValidationError):
            for wait in said:
                if tokens := PermitWait.model_validate(wait).tokens:
                    return progress.arriving(tokens)
    return progress


def _retry(step: StepUnderWay) -> str:
    failed = f"attempt {step.attempt - 1} failed ({clipped(' '.join(step.trouble.split()), _FEW)})"
    if step.again_at is None:
        return f"{failed}, attempt {step.attempt} is under way"
    return f"{failed}, attempt {step.attempt} begins at {step.again_at:%H:%M:%S} UTC"


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
