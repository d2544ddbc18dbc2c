"""The schedule of the nightly housekeeping."""

import asyncio
from datetime import timedelta

from temporalio.client import (
    Client,
    Schedule,
    ScheduleActionStartWorkflow,
    ScheduleAlreadyRunningError,
    ScheduleOverlapPolicy,
    SchedulePolicy,
    ScheduleSpec,
    ScheduleUpdate,
)
from temporalio.service import RPCError, RPCStatusCode

from penwright.domain import housekeeping as rules
from schemas.housekeeping import HousekeepingInput, HousekeepingState
from workers.pauses import growing_pauses
from workers.preparing.temporal import NOT_YET
from workers.settings import Settings
from workers.summer_time import calendars_after_gaps
from workflows.housekeeping import Housekeeping
from workflows.options import TASK_TIMEOUT
from workflows.visibility import at_start

NAME = "housekeeping"
"""Id of the schedule, and what the ids of its runs begin with."""
MISSED = timedelta(hours=20)
"""Housekeeping that was due while nothing ran is made up for, as on a machine that is off by night."""


async def schedule_housekeeping(client: Client, settings: Settings) -> None:
    """Make the schedule as the settings want it, or remove it. Idempotent."""
    handle = client.get_schedule_handle(NAME)
    if not settings.housekeeping.enabled:
        try:
            await handle.delete()
        except RPCError as error:
            if error.status != RPCStatusCode.NOT_FOUND:
                raise
        return
    wanted = _schedule(settings)
    try:
        await client.create_schedule(NAME, wanted)
    except ScheduleAlreadyRunningError:
        await handle.update(lambda _: ScheduleUpdate(schedule=wanted))


async def schedule_housekeeping_when_ready(client: Client, settings: Settings) -> None:
    """The same, again while the server is still starting."""
    patience_s = settings.engine.patience_s(embedded=settings.embeds_temporal)
    deadline = asyncio.get_running_loop().time() + patience_s
    for pause_s in growing_pauses():
        try:
            await schedule_housekeeping(client, settings)
            return
        except RPCError as error:
            if error.status not in NOT_YET or asyncio.get_running_loop().time() > deadline:
                raise
        await asyncio.sleep(pause_s)


def _schedule(settings: Settings) -> Schedule:
    chosen = settings.housekeeping
    hour, minute = chosen.at.split(":")
    crons = [f"{int(minute)} {int(hour)} * * *"]
    return Schedule(
        action=ScheduleActionStartWorkflow(
            Housekeeping.run,
            HousekeepingInput(),
            id=NAME,
            task_queue=settings.worker.queue,
            task_timeout=TASK_TIMEOUT,
            static_summary="Nightly housekeeping",
            typed_search_attributes=at_start(rules.progress(HousekeepingInput(), HousekeepingState())),
        ),
        spec=ScheduleSpec(
            cron_expressions=crons,
            calendars=calendars_after_gaps(crons, chosen.time_zone),
            time_zone_name=chosen.time_zone,
        ),
        policy=SchedulePolicy(overlap=ScheduleOverlapPolicy.SKIP, catchup_window=MISSED),
    )
