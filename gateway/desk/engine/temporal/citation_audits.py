"""Audits of citations over a Temporal client, by hand and as schedules."""

from contextlib import AbstractAsyncContextManager
from datetime import timedelta
from typing import Final

from temporalio.client import (
    Client,
    Schedule,
    ScheduleActionStartWorkflow,
    ScheduleOverlapPolicy,
    SchedulePolicy,
)

from gateway.desk.engine.citations import ScheduledAudit
from gateway.desk.engine.pipelines import Timetable
from gateway.desk.engine.temporal.errors import translated
from gateway.desk.engine.temporal.pipeline_runs import Pipeline, PipelineRuns
from gateway.desk.engine.temporal.schedules import put, rhythm_of, spec_of
from penwright.domain.citations.auditing.steps import progress
from penwright.errors import PenwrightError, Refused
from schemas.citation_audit import CitationAuditInput, CitationAuditResult, CitationAuditState
from workflows.citation_audit import CitationAudit
from workflows.options import TASK_TIMEOUT, scholarly_queue
from workflows.visibility import at_start

_CATCH_UP: Final = timedelta(days=7)
"""A run that was missed while the engine was down is made up for: it changes nothing."""


class TemporalAudits(PipelineRuns[CitationAuditInput, CitationAuditResult]):
    """Implements ``gateway.desk.engine.citations.Audits``."""

    def __init__(self, client: Client, queue: str) -> None:
        super().__init__(client, queue, _PIPELINE)

    async def start(self, name: str, given: CitationAuditInput) -> bool:
        return await self._begin(self._queued(given), name=name) is not None

    async def result(self, name: str) -> CitationAuditResult:
        return await self._ended(name)

    async def schedule(self, given: CitationAuditInput, timetable: Timetable) -> ScheduledAudit:
        called, attributes = self._id(given.subject), at_start(_PIPELINE.shown(given))
        wanted = Schedule(
            action=ScheduleActionStartWorkflow(
                CitationAudit.run,
                self._queued(given).model_copy(update={"session": "", "scheduled": True, "waits": True}),
                id=f"{called}/scheduled",
                task_queue=self._queue,
                task_timeout=TASK_TIMEOUT,
                static_summary=f"{_PIPELINE.title(given)}, {rhythm_of(timetable)}",
                typed_search_attributes=attributes,
            ),
            spec=spec_of(timetable, called),
            policy=SchedulePolicy(overlap=ScheduleOverlapPolicy.SKIP, catchup_window=_CATCH_UP),
        )
        async with _scheduled(given.subject):
            await put(self._client, called, wanted, attributes)
            coming = (await self._client.get_schedule_handle(called).describe()).info.next_action_times
        return ScheduledAudit(given.subject, next(iter(coming), None))

    async def unschedule(self, subject: str) -> None:
        async with _scheduled(subject):
            await self._client.get_schedule_handle(self._id(subject)).delete()

    def _queued(self, given: CitationAuditInput) -> CitationAuditInput:
        return given.model_copy(update={"scholarly_queue": scholarly_queue(self._queue)})


def _scheduled(subject: str) -> AbstractAsyncContextManager[None]:
    """Refuse by name what concerns a schedule that is not there."""
    nothing = Refused("not-scheduled", f"no audits of {subject!r} are scheduled")
    return translated(lambda: nothing, thing="audit")


def _nothing() -> PenwrightError:
    return Refused("no-audit", "no audit of these citations was made")


_PIPELINE = Pipeline(
    types=("CitationAudit",),
    run=CitationAudit.run,
    name=lambda given: given.subject,
    title=lambda given: f"Audit of the citations of {given.subject}",
    shown=lambda given: progress(given, CitationAuditState()),
    result=CitationAuditResult,
    prefix="audit/",
    thing="audit",
    none=_nothing,
)
