"""How long a run waited in queues, read from what Temporal knows of its activities."""

from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from temporalio import activity
from temporalio.api.common.v1 import Payload
from temporalio.api.enums.v1 import PendingActivityState
from temporalio.api.history.v1 import HistoryEvent
from temporalio.api.workflow.v1 import PendingActivityInfo
from temporalio.client import Client, WorkflowHandle
from temporalio.converter import DataConverter

from penwright.domain.queue_time import Span, in_queues
from penwright.ports.clock import Clock
from schemas.agent_run import ModelAnswered
from schemas.queue_time import AskQueueTime, PermitWait, QueueTime

_MODEL_CALL = "call_model"
"""The only activity that waits for permits once it has begun."""


@dataclass(frozen=True)
class QueueTimeActivities:
    """Asks of any worker that reaches Temporal."""

    clock: Clock

    @activity.defn
    async def time_in_queues(self, request: AskQueueTime) -> QueueTime:
        """How long the run that asks has waited for slots and permits; changes nothing."""
        info, client = activity.info(), activity.client()
        assert info.workflow_id is not None, "a workflow asks"
        run = client.get_workflow_handle(info.workflow_id, run_id=info.workflow_run_id)
        spans = [
            *[span async for span in _of_pending(run, client.data_converter, self.clock.now())],
            *[span async for span in _of_ended(client, info.workflow_id, info.workflow_run_id)],
        ]
        return QueueTime(waited_s=in_queues(spans, request.since).total_seconds())


async def _of_pending(
    run: "WorkflowHandle[object, object]", converter: DataConverter, now: datetime
) -> AsyncIterator[Span]:
    for each in (await run.describe()).raw_description.pending_activities:
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


async def _of_ended(client: Client, workflow_id: str, run_id: str | None) -> AsyncIterator[Span]:
    """Those of the run and of the runs that it continues."""
    while run_id:
        history = await client.get_workflow_handle(workflow_id, run_id=run_id).fetch_history()
        for scheduled, started, result in _ended(history.events):
            begun = started if started.activity_task_started_event_attributes.attempt == 1 else scheduled
            permit = await _permit_of(scheduled, result, client.data_converter)
            yield Span(_at(scheduled), _at(begun) + permit)
        run_id = history.events[0].workflow_execution_started_event_attributes.continued_execution_run_id


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
