"""Timetables as Temporal schedules, each named as the workflow of what it has written: ``book/<book-id>``."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta

from temporalio.api.common.v1 import Payload
from temporalio.client import (
    Client,
    Schedule,
    ScheduleActionExecutionStartWorkflow,
    ScheduleActionResult,
    ScheduleActionStartWorkflow,
    ScheduleAlreadyRunningError,
    ScheduleCalendarSpec,
    ScheduleDescription,
    ScheduleIntervalSpec,
    ScheduleListDescription,
    ScheduleOverlapPolicy,
    SchedulePolicy,
    ScheduleRange,
    ScheduleSpec,
    ScheduleState,
    ScheduleUpdate,
    ScheduleUpdateInput,
    WorkflowFailureError,
)
from temporalio.common import TypedSearchAttributes
from temporalio.service import RPCError, RPCStatusCode

from gateway.desk.engine.pipelines import NO_ANSWER, Scheduled, ScheduledRun, Timetable
from penwright.domain.spreading import delay, spread_cron
from penwright.errors import EngineUnavailable, Refused, UsageMistake
from schemas.base import Progress
from schemas.board import Timetabled
from schemas.book_session import BookSessionInput, BookSessionResult
from schemas.workspace import Workspace
from workers.failures import as_error, unprepared
from workers.summer_time import calendars_after_gaps
from workflows.book_schedule import PIPELINE, ScheduledBookSession
from workflows.options import TASK_TIMEOUT
from workflows.visibility import CODE, OUTCOME, at_start

_NEXT_RUNS = 5
_YEAR = timedelta(days=365)
_RUNS = 5
_UNITS = (("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1))
BY_HAND = "by hand"
"""The note of a schedule that a person paused."""
_RHYTHM = "rhythm"
"""Memo key: Temporal itself forgets the cron line and keeps only the calendars it made of it."""


def name(book_id: str) -> str:
    """The schedule's id."""
    return f"book/{book_id}"


async def put(
    client: Client,
    called: str,
    wanted: Schedule,
    attributes: TypedSearchAttributes,
    *,
    paused: bool | None = False,
) -> None:
    """Make or replace the schedule with this id.

    ``paused``: None leaves one that there is as it stands.
    """
    try:
        wanted.state = _state(paused)
        await client.create_schedule(called, wanted, search_attributes=attributes)
    except ScheduleAlreadyRunningError:

        def replaced(found: ScheduleUpdateInput) -> ScheduleUpdate:
            wanted.state = found.description.schedule.state if paused is None else _state(paused)
            return ScheduleUpdate(schedule=wanted)

        await client.get_schedule_handle(called).update(replaced)


class TemporalSchedules:
    """Schedules of books over a Temporal client."""

    def __init__(self, client: Client, queue: str) -> None:
        self._client = client
        self._queue = queue

    async def put(
        self, given: BookSessionInput, timetable: Timetable, *, paused: bool | None = None
    ) -> Scheduled:
        subject, called = given.book_id, name(given.book_id)
        told = given.model_copy(update={"schedule_id": called, "pause_after": _pause_after(timetable)})
        wanted = Schedule(
            action=ScheduleActionStartWorkflow(
                ScheduledBookSession.run,
                told,
                id=f"book-schedule/{subject}",
                task_queue=self._queue,
                task_timeout=TASK_TIMEOUT,
                static_summary=f"Scheduled run of {subject}",
                memo={_RHYTHM: rhythm_of(timetable)},
                typed_search_attributes=_attributes(subject),
            ),
            spec=spec_of(timetable, called),
            policy=SchedulePolicy(
                overlap=ScheduleOverlapPolicy.SKIP,
                catchup_window=timetable.catch_up,
                pause_on_failure=timetable.pause_on_failure,
            ),
        )
        async with self._translated(subject, timetable):
            await put(self._client, called, wanted, _attributes(subject), paused=paused)
            return await self._scheduled(subject)

    async def remove(self, subject: str) -> None:
        async with self._translated(subject):
            await self._client.get_schedule_handle(name(subject)).delete()

    async def move(self, subject: str, workspace: Workspace) -> bool:
        async def moved(found: ScheduleUpdateInput) -> ScheduleUpdate:
            wanted = found.description.schedule
            assert isinstance(wanted.action, ScheduleActionStartWorkflow), "made by ``put``"
            (given,) = await self._client.data_converter.decode(wanted.action.args, [BookSessionInput])
            wanted.action.args = [given.model_copy(update={"workspace": workspace})]
            return ScheduleUpdate(schedule=wanted)

        try:
            async with self._translated(subject):
                await self._client.get_schedule_handle(name(subject)).update(moved)
        except Refused:  # it has none
            return False
        return True

    async def pause(self, subject: str, *, paused: bool, note: str) -> Scheduled:
        def turned(found: ScheduleUpdateInput) -> ScheduleUpdate:
            found.description.schedule.state.paused = paused
            found.description.schedule.state.note = note
            return ScheduleUpdate(schedule=found.description.schedule)

        async with self._translated(subject):
            handle = self._client.get_schedule_handle(name(subject))
            await handle.update(turned)
            return await self._scheduled(subject)

    async def find(self, subject: str) -> Scheduled | None:
        async with self._translated(subject):
            return await self._unless_deleted(subject)

    async def all(self) -> tuple[Scheduled, ...]:
        prefix = name("")
        async with self._translated(""):
            names = [entry.id async for entry in await self._client.list_schedules()]
            subjects = sorted(name.removeprefix(prefix) for name in names if name.startswith(prefix))
            found = await asyncio.gather(*(self._unless_deleted(subject) for subject in subjects))
        return tuple(one for one in found if one is not None)

    async def _unless_deleted(self, subject: str) -> Scheduled | None:
        """None without one, also for one that the list still has and the server has not any more."""
        try:
            return await self._scheduled(subject)
        except RPCError as error:
            if error.status != RPCStatusCode.NOT_FOUND:
                raise
            return None

    async def upcoming(self) -> Mapping[str, Timetabled]:
        found, prefix = {}, name("")
        async with self._translated(""):
            async for entry in await self._client.list_schedules():
                if entry.id.startswith(prefix):
                    found[entry.id.removeprefix(prefix)] = _in_short(entry)
        return found

    async def _scheduled(self, subject: str) -> Scheduled:
        found = await self._client.get_schedule_handle(name(subject)).describe()
        state, spec = found.schedule.state, found.schedule.spec
        recent = found.info.recent_actions[-_RUNS:]
        last = recent[-1] if recent else None
        return Scheduled(
            subject=subject,
            rhythm=await self._rhythm_of(found),
            time_zone=spec.time_zone_name or "UTC",
            paused=state.paused,
            note=state.note or "",
            next_runs=() if state.paused else tuple(found.info.next_action_times[:_NEXT_RUNS]),
            last_result=await self._last_result(found),
            last_run=last.started_at if last else None,
            runs=tuple(await asyncio.gather(*(self._run(one) for one in reversed(recent)))),
            pause_on_failure=found.schedule.policy.pause_on_failure,
            skipped=found.info.num_actions_skipped_overlap,
            missed=found.info.num_actions_missed_catchup_window,
        )

    async def _run(self, started: ScheduleActionResult) -> ScheduledRun:
        """A run as Temporal's list shows it."""
        action = started.action
        assert isinstance(action, ScheduleActionExecutionStartWorkflow), "schedules start workflows"
        handle = self._client.get_workflow_handle(action.workflow_id, run_id=action.first_execution_run_id)
        try:
            run = await handle.describe()
        except RPCError as error:
            if error.status != RPCStatusCode.NOT_FOUND:
                raise
            return ScheduledRun(started.started_at, "forgotten", "")
        known = run.typed_search_attributes
        status = run.status.name.lower() if run.status else ""
        return ScheduledRun(started.started_at, known.get(OUTCOME) or status, known.get(CODE) or "")

    async def _rhythm_of(self, found: ScheduleDescription) -> str:
        action = found.schedule.action
        kept = (
            action.memo.get(_RHYTHM)
            if isinstance(action, ScheduleActionStartWorkflow) and action.memo
            else None
        )
        if not isinstance(kept, Payload):
            return "see the Temporal UI"
        return str((await self._client.data_converter.decode([kept], [str]))[0])

    async def _last_result(self, found: ScheduleDescription) -> str:
        if not found.info.recent_actions:
            return ""
        action = found.info.recent_actions[-1].action
        if not isinstance(action, ScheduleActionExecutionStartWorkflow):
            return ""
        if action in found.info.running_actions:
            return "running"
        handle = self._client.get_workflow_handle(
            action.workflow_id, run_id=action.first_execution_run_id, result_type=BookSessionResult
        )
        try:
            ended = await handle.result()
        except WorkflowFailureError as failure:
            error = as_error(failure)
            return f"failed: {error.message}" if error else "failed"
        return f"{ended.outcome}: {ended.message}" if ended.message else ended.outcome

    @asynccontextmanager
    async def _translated(self, subject: str, wanted: Timetable | None = None) -> AsyncIterator[None]:
        try:
            yield
        except RPCError as error:
            if lacking := unprepared(error):
                raise lacking from error
            if error.status == RPCStatusCode.NOT_FOUND:
                raise Refused("not-scheduled", f"{subject!r} has no schedule") from error
            if error.status == RPCStatusCode.INVALID_ARGUMENT:
                raise _impossible(error.message, wanted) from error
            raise EngineUnavailable(NO_ANSWER, f"the engine did not answer: {error.message}") from error


def _attributes(book_id: str) -> TypedSearchAttributes:
    return at_start(Progress(pipeline=PIPELINE, subject=book_id, stage="run"))


def _state(paused: bool | None) -> ScheduleState:
    return ScheduleState(paused=True, note=BY_HAND) if paused else ScheduleState()


def _pause_after(timetable: Timetable) -> int:
    return timetable.pause_after if timetable.pause_on_failure else 0


def _in_short(entry: ScheduleListDescription) -> Timetabled:
    state = entry.schedule.state if entry.schedule else None
    times = entry.info.next_action_times if entry.info else ()
    paused = state.paused if state else False
    return Timetabled(
        next_run=None if paused else next(iter(times), None),
        every=_mean_interval(entry.schedule.spec) if entry.schedule else None,
        paused=paused,
        note=(state.note or "") if state else "",
    )


def _mean_interval(spec: ScheduleSpec) -> timedelta | None:
    """The time between two runs, the mean of a year; None if it names none."""
    often = sum(_YEAR / each.every for each in spec.intervals)
    often += sum(map(_runs_a_year, spec.calendars))
    return _YEAR / often if often else None


def _runs_a_year(calendar: ScheduleCalendarSpec) -> float:
    """About; a calendar of certain years stands beside one of every year, and counts nothing."""
    if calendar.year:
        return 0.0
    days = _named(calendar.day_of_month) * _named(calendar.month) * _named(calendar.day_of_week) / 7
    return days * _named(calendar.hour) * _named(calendar.minute) * 365 / (31 * 12)


def _named(ranges: Sequence[ScheduleRange]) -> int:
    """Number of values that the ranges name."""
    return sum(len(range(each.start, max(each.start, each.end) + 1, each.step or 1)) for each in ranges)


def spec_of(timetable: Timetable, called: str) -> ScheduleSpec:
    cron, every, window = timetable.cron, timetable.every, timetable.window
    # Intervals are counted from one instant for all schedules, so that those too would begin together.
    intervals = [ScheduleIntervalSpec(every=every, offset=delay(called, min(window, every)))] if every else []
    crons = spread_cron(cron, called, window) if cron else ()
    return ScheduleSpec(
        cron_expressions=crons,
        calendars=calendars_after_gaps(crons, timetable.time_zone),
        intervals=intervals,
        jitter=timetable.jitter,
        time_zone_name=timetable.time_zone,
    )


def rhythm_of(timetable: Timetable) -> str:
    within = f" within {_in_short_form(timetable.window)}" if timetable.window else ""
    if timetable.cron:
        return f"cron {timetable.cron}{within}"
    return f"every {_in_short_form(timetable.every or timedelta())}{within}"


def _in_short_form(time: timedelta) -> str:
    seconds = int(time.total_seconds())
    unit, size = next(pair for pair in _UNITS if seconds % pair[1] == 0)
    return f"{seconds // size}{unit}"


def _impossible(why: str, wanted: Timetable | None) -> UsageMistake:
    why = why.removeprefix("Invalid schedule spec: ")
    if wanted is not None and wanted.cron:
        hint = "minute hour day month weekday, for instance '30 6 * * 1-5'"
        return UsageMistake("bad-schedule", f"--cron {wanted.cron!r} cannot be: {why}", hint=hint)
    hint = "`penwright book schedule --help` shows examples"
    return UsageMistake("bad-schedule", f"the schedule cannot be: {why}", hint=hint)
