"""Schedules on a real server: refusals in a row pause them, and a person learns of it."""

import asyncio
from datetime import timedelta

import pytest
from temporalio.client import Client, ScheduleActionExecutionStartWorkflow
from temporalio.testing import WorkflowEnvironment

from gateway.desk.engine.pipelines import Scheduled, Timetable
from gateway.desk.engine.temporal.schedules import TemporalSchedules
from penwright.errors import BrokenWorkspace, Refused
from tests.support.books.sessions import an_opening
from tests.support.workflows.fake_activities import FakeActivities
from tests.workflows.test_book_session import BookWorker, book_worker

POLL_S = 0.02
"""The server has no event for what these tests wait for."""
REFUSAL = Refused("config-missing", "there is no Config.yml")


class Scheduling:
    """A schedule of one book, whose runs a test starts."""

    def __init__(self, book: BookWorker, *, pauses: bool = True) -> None:
        self._client: Client = book.client
        self._book = book
        self._pauses = pauses
        self.schedules = TemporalSchedules(book.client, book.queue)

    async def put(self) -> None:
        when = Timetable(every=timedelta(hours=9), pause_on_failure=self._pauses, pause_after=3)
        await self.schedules.put(self._book.given(), when)

    async def run(self, times: int = 1) -> None:
        """Start so many runs one after the other; each ends before the next."""
        handle = self._client.get_schedule_handle(f"book/{self._book.queue}")
        for _ in range(times):
            before = (await handle.describe()).info.num_actions
            await handle.trigger()
            async with asyncio.timeout(20):
                while (described := await handle.describe()).info.num_actions == before:  # noqa: ASYNC110
                    await asyncio.sleep(POLL_S)
                while (described := await handle.describe()).info.running_actions:  # noqa: ASYNC110
                    await asyncio.sleep(POLL_S)
            assert isinstance(described.info.recent_actions[-1].action, ScheduleActionExecutionStartWorkflow)

    async def shown(self) -> Scheduled:
        (found,) = [one for one in await self.schedules.all() if one.subject == self._book.queue]
        return found

    async def until_paused(self) -> Scheduled:
        async with asyncio.timeout(20):
            while not (found := await self.shown()).paused:  # noqa: ASYNC110
                await asyncio.sleep(POLL_S)
        return found


async def test_a_schedule_pauses_after_three_refusals_in_a_row_and_counts_anew_once_resumed(
    temporal_env: WorkflowEnvironment,
) -> None:
    fakes = FakeActivities(open_session=REFUSAL)

    async with book_worker(temporal_env, fakes) as book:
        scheduling = Scheduling(book)
        await scheduling.put()
        await scheduling.run(2)
        twice = await scheduling.shown()
        await scheduling.run()
        paused = await scheduling.until_paused()
        await scheduling.schedules.pause(book.given().book_id, paused=False, note="mended")
        await scheduling.run(2)
        resumed = await scheduling.shown()
        await scheduling.schedules.remove(book.given().book_id)

    assert not twice.paused
    assert "refused 3 times in a row" in paused.note
    assert paused.pause_on_failure
    assert [(run.outcome, run.code) for run in paused.runs] == [("refused", "config-missing")] * 3
    assert not resumed.paused
    assert fakes.asked.count("announce_pause") == 1


@pytest.mark.long
async def test_a_session_that_runs_ends_the_row_of_refusals(temporal_env: WorkflowEnvironment) -> None:
    fakes = FakeActivities(open_session=[REFUSAL, REFUSAL, an_opening(), REFUSAL, REFUSAL, REFUSAL])

    async with book_worker(temporal_env, fakes) as book:
        scheduling = Scheduling(book)
        await scheduling.put()
        await scheduling.run(5)
        five = await scheduling.shown()
        await scheduling.run()
        await scheduling.until_paused()
        await scheduling.schedules.remove(book.given().book_id)

    assert not five.paused
    assert [run.outcome for run in five.runs] == ["refused", "refused", "written", "refused", "refused"]


async def test_a_failed_session_pauses_the_schedule_and_is_announced(
    temporal_env: WorkflowEnvironment,
) -> None:
    fakes = FakeActivities(open_session=an_opening(), close_session=BrokenWorkspace("unusable", "no disk"))

    async with book_worker(temporal_env, fakes) as book:
        scheduling = Scheduling(book)
        await scheduling.put()
        await scheduling.run()
        paused = await scheduling.until_paused()
        await scheduling.schedules.remove(book.given().book_id)

    assert (paused.runs[0].outcome, paused.runs[0].code) == ("failed", "unusable")
    assert fakes.asked.count("announce_pause") == 1


async def test_a_schedule_that_may_not_pause_goes_on(temporal_env: WorkflowEnvironment) -> None:
    fakes = FakeActivities(open_session=REFUSAL)

    async with book_worker(temporal_env, fakes) as book:
        scheduling = Scheduling(book, pauses=False)
        await scheduling.put()
        await scheduling.run(4)
        shown = await scheduling.shown()
        await scheduling.schedules.remove(book.given().book_id)

    assert not shown.paused
    assert "announce_pause" not in fakes.asked
