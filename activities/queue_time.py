"""Time a run waited in queues, from Temporal's records of its activities."""

from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from temporalio import activity
from temporalio.api.common.v1 import Payload, WorkflowExecution
from temporalio.api.enums.v1 import PendingActivityState
from temporalio.api.history.v1 import HistoryEvent
from temporalio.api.workflow.v1 import PendingActivityInfo
from temporalio.client import Client, WorkflowExecutionDescription
from temporalio.converter import DataConverter

from penwright.domain.queue_time import Span, in_queues
from penwright.ports.clock import Clock
from schemas.agent_run import ModelAnswered
from schemas.queue_time import AskQueueTime, PermitWait, QueueTime

_MODEL_CALL = "call_model"
"""The only activity that waits for permits once it has begun."""


@dataclass(frozen=True)
class QueueTimeActivities:
    """Activities for any worker that reaches Temporal."""

    clock: Clock

    @activity.defn
    async def time_in_queues(self, request: AskQueueTime) -> QueueTime:
        """Measure the time that the asking run has waited for slots and permits; changes nothing."""
        info = activity.info()
        assert info.workflow_id is not None, "a workflow asks"
        asked = _of_run(activity.client(), info.workflow_id, self.clock.now())
        spans = [span async for span in asked]
        return QueueTime(waited_s=in_queues(spans, request.since).total_seconds())


async def _of_run(client: Client, workflow_id: str, now: datetime) -> AsyncIterator[Span]:
    """Those of the newest run of that id, of the runs it continues, and of the runs they started."""
    described = await client.get_workflow_handle(workflow_id).describe()
    async for span in _of_pending(described, client.data_converter, now):
        yield span
    run_id = described.run_id
    while run_id:
        history = await client.get_workflow_handle(workflow_id, run_id=run_id).fetch_history()
        async for span in _of_ended(history.events, client.data_converter):
            yield span
        for child in _children(history.events):
            async for span in _of_run(client, child.workflow_id, now):
                yield span
        run_id = history.events[0].workflow_execution_started_event_attributes.continued_execution_run_id


def _children(events: Iterable[HistoryEvent]) -> Iterable[WorkflowExecution]:
    for event in events:
        if event.HasField("child_workflow_execution_started_event_attributes"):
            yield event.child_workflow_execution_started_event_attributes.workflow_execution


async def _of_pending(
    run: WorkflowExecutionDescription, converter: DataConverter, now: datetime
) -> AsyncIterator[Span]:
    for each in run.raw_description.pending_activities:
        scheduled = each.scheduled_time.ToDatetime(UTC)
        if each.state == PendingActivityState.PENDING_ACTIVITY_STATE_SCHEDULED:
            yield Span(scheduled, max(now, scheduled))
            continue
        permit = await _permit(each, converter)
        begun = each.last_started_time.ToDatetime(UTC) if each.attempt == 1 else scheduled
        yield Span(scheduled, now if permit.waits else begun + timedelta(seconds=permit.waited_s))


async def _permit(pending: PendingActivityInfo, converter: DataConverter) -> PermitWait:
    if pending.activity_type.name != _MODEL_CALL or not pending.heartbeat_details.payloads:
        return PermitWait(waited_s=0, waits=False)
    (said,) = await converter.decode(pending.heartbeat_details.payloads, [PermitWait])
    return PermitWait.model_validate(said)


async def _of_ended(events: Iterable[HistoryEvent], converter: DataConverter) -> AsyncIterator[Span]:
    for scheduled, started, result in _ended(events):
        begun = started if started.activity_task_started_event_attributes.attempt == 1 else scheduled
        permit = await _permit_of(scheduled, result, converter)
        yield Span(_at(scheduled), _at(begun) + permit)


def _ended(events: Iterable[HistoryEvent]) -> Iterable[tuple[HistoryEvent, HistoryEvent, Payload | None]]:
    """Of each activity that began: how it was scheduled and begun, and its result once it has one."""
    by_id, results = {event.event_id: event for event in events}, dict[int, Payload]()
    for event in by_id.values():
        done = event.activity_task_completed_event_attributes
        if done.started_event_id and done.result.payloads:
            results[done.started_event_id] = done.result.payloads[0]
    for event in by_id.values():
        if scheduled := event.activity_task_started_event_attributes.scheduled_event_id:
            yield by_id[scheduled], event, results.get(event.event_id)


async def _permit_of(scheduled: HistoryEvent, result: Payload | None, converter: DataConverter) -> timedelta:
    kind = scheduled.activity_task_scheduled_event_attributes.activity_type.name
    if kind != _MODEL_CALL or result is None:
        return timedelta()
    (answer,) = await converter.decode([result], [ModelAnswered])
    return timedelta(seconds=answer.waited_s)


def _at(event: HistoryEvent) -> datetime:
    return event.event_time.ToDatetime(UTC)
