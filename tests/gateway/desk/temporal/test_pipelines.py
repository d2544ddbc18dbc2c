"""The front door's messages to a real Temporal server."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4
from zoneinfo import ZoneInfo

import pytest
from temporalio.api.enums.v1 import EventType
from temporalio.client import Client, ScheduleActionStartWorkflow
from temporalio.testing import WorkflowEnvironment
from temporalio.worker import Worker

from gateway.desk.engine.pipelines import Acknowledgement, Timetable
from gateway.desk.engine.temporal.pipelines import TemporalPipelines
from gateway.desk.engine.temporal.schedules import TemporalSchedules
from penwright.domain.book.identity import workflow_id
from penwright.domain.cron import read
from penwright.domain.spreading import delay
from penwright.errors import BrokenWorkspace, Refused, UsageMistake
from schemas.base import BookId
from schemas.board import Timetabled
from schemas.book_errand import BookErrandInput
from schemas.book_session import BookSessionInput
from schemas.control import KillRequest
from schemas.intents import ApprovalDecision
from schemas.outside_session import DeliverProse, SessionProse
from schemas.workspace import Workspace
from tests.domain.test_cron import WRONG
from tests.support.books.sessions import PROSE, a_close, a_denied_close, an_opening, given
from tests.support.workflows.fake_activities import FakeActivities
from workers.temporal_plugin import WORKFLOWS

pytestmark = pytest.mark.server

DELIVERY = DeliverProse(written=SessionProse(prose=PROSE, summary="They met."))


class Desk:
    """Pipelines of one book on a queue of its own."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self.book = BookId(f"b-{uuid4().hex[:8]}")
        self.pipelines = TemporalPipelines(client, self.book)
        self.schedules = TemporalSchedules(client, self.book)

    def session(self, **changes: object) -> BookSessionInput:
        queues = {"book_id": self.book, "repo_queue": self.book, "model_queue": self.book}
        return given(**(queues | {"session": uuid4().hex[:6]} | changes))

    async def answered(self) -> int:
        """How many callers the session has answered."""
        history = await self._client.get_workflow_handle(workflow_id(self.book)).fetch_history()
        completed = EventType.EVENT_TYPE_WORKFLOW_EXECUTION_UPDATE_COMPLETED
        return sum(event.event_type == completed for event in history.events)

    def errand(self) -> BookErrandInput:
        return BookErrandInput(
            book_id=self.book,
            workspace=Workspace(path="/books/b"),
            session=uuid4().hex[:6],
            kind="advance",
            repo_queue=self.book,
        )


Opens = Callable[[FakeActivities], AbstractAsyncContextManager[Desk]]


@pytest.fixture
def desk(temporal_env: WorkflowEnvironment) -> Opens:
    @asynccontextmanager
    async def open_desk(fakes: FakeActivities) -> AsyncIterator[Desk]:
        made = Desk(temporal_env.client)
        async with Worker(
            temporal_env.client, task_queue=made.book, workflows=WORKFLOWS, activities=fakes.all()
        ):
            yield made

    return open_desk


async def test_a_session_runs_to_its_result(desk: Opens) -> None:
    async with desk(FakeActivities()) as at:
        await at.pipelines.start(at.session())

        ending = await at.pipelines.result(at.book)

    assert ending.outcome == "closed"
    assert ending.report is not None


async def test_a_failed_session_is_a_result_with_its_code(desk: Opens) -> None:
    fakes = FakeActivities(close_session=BrokenWorkspace("wrong-branch", "switch back"))
    async with desk(fakes) as at:
        await at.pipelines.start(at.session())

        ending = await at.pipelines.result(at.book)

    assert (ending.outcome, ending.code) == ("failed", "wrong-branch")


async def test_a_held_book_is_refused_and_its_session_untouched(desk: Opens) -> None:
    async with desk(FakeActivities()) as at:
        await at.pipelines.open(at.session(writer="outside", opener="me"))

        with pytest.raises(Refused, match="holds"):
            await at.pipelines.start(at.session())

        progress = await at.pipelines.progress(at.book)
        await at.pipelines.close(at.book, DELIVERY)
    assert progress is not None
    assert progress.stage == "write"


async def test_one_session_may_follow_another_at_once(desk: Opens) -> None:
    async with desk(FakeActivities()) as at:
        for _ in range(3):
            opened = await at.pipelines.open(at.session(writer="outside", opener=uuid4().hex))
            closed = await at.pipelines.close(at.book, DELIVERY)
            errand = await at.pipelines.errand(at.errand())

    assert opened.verdict == "open"
    assert closed.report.status == "closed"
    assert errand.advance is not None


async def test_a_kill_is_reported_only_to_the_killed_session(desk: Opens) -> None:
    killed = an_opening().model_copy(update={"verdict": "killed"})
    fakes = FakeActivities(open_session=[killed, an_opening()], end_session="hang")
    async with desk(fakes) as at:
        first = await at.pipelines.open(at.session(writer="outside", opener="me"))
        await fakes.reached["end_session"].wait()
        opening = asyncio.ensure_future(at.pipelines.open(at.session(writer="outside", opener="me again")))
        while await at.answered() < 2:
            pass  # it has not yet met the session that winds up
        fakes.let_go.set()
        second = await opening

    assert (first.verdict, second.verdict) == ("killed", "open")


async def test_two_callers_open_one_session(desk: Opens) -> None:
    async with desk(FakeActivities()) as at:
        mine = await at.pipelines.open(at.session(writer="outside", opener="me"))
        again = await at.pipelines.open(at.session(writer="outside", opener="me"))
        other = await at.pipelines.open(at.session(writer="outside", opener="you"))
        await at.pipelines.signal(at.book, KillRequest(reason="enough"))

    assert [verdict.verdict for verdict in (mine, again, other)] == ["open", "open", "already-running"]


async def test_a_book_in_two_places_says_in_which_one_it_is_open(desk: Opens) -> None:
    there = Workspace(path="/laptop/b")
    async with desk(FakeActivities()) as at:
        await at.pipelines.open(at.session(writer="outside", opener="me"))
        joined = await at.pipelines.open(at.session(writer="outside", opener="you", workspace=there))
        with pytest.raises(Refused, match="is open in '/books/b'") as starting:
            await at.pipelines.start(at.session(workspace=there))
        with pytest.raises(Refused, match="is open in '/books/b'"):
            await at.pipelines.errand(at.errand())
        with pytest.raises(Refused, match="open in '/books/b', not in '/laptop/b'") as moving:
            await at.pipelines.advance(at.book, place=f"{at.book}:/laptop/b")
        await at.pipelines.signal(at.book, KillRequest(reason="enough"))

    assert (joined.verdict, "'/books/b'" in joined.message) == ("already-running", True)
    assert (starting.value.code, moving.value.code) == ("already-running", "open-elsewhere")
    assert at.book in starting.value.details["hint"]


async def test_close_and_advance_without_a_session(desk: Opens) -> None:
    async with desk(FakeActivities()) as at:
        with pytest.raises(Refused, match=r"^no active session$"):
            await at.pipelines.close(at.book, DELIVERY)

        assert await at.pipelines.advance(at.book) is None
        assert await at.pipelines.progress(at.book) is None


async def test_advance_works_while_a_closed_session_winds_up(desk: Opens) -> None:
    fakes = FakeActivities(end_session="hang")
    async with desk(fakes) as at:
        session = at.session(writer="outside", opener="me")
        await at.pipelines.open(session)
        await at.pipelines.close(at.book, DELIVERY)
        await fakes.reached["end_session"].wait()

        moved = await at.pipelines.advance(at.book)
        with pytest.raises(Refused, match="no active session"):
            await at.pipelines.advance(at.book, session.session)

        errand = asyncio.ensure_future(at.pipelines.errand(at.errand()))
        fakes.let_go.set()
        done = await errand
    assert moved is None
    assert done.advance is not None


@pytest.mark.parametrize("code", ["target-not-behind", "unusable-tag"])
async def test_a_refusal_of_an_activity_arrives_as_one(desk: Opens, code: str) -> None:
    async with desk(FakeActivities(advance_chapter=Refused(code, "name another"))) as at:
        with pytest.raises(Refused, match="name another") as refused:
            await at.pipelines.errand(at.errand())

    assert refused.value.code == code


async def test_a_kill_is_acknowledged_and_ends_the_session(desk: Opens) -> None:
    async with desk(FakeActivities()) as at:
        await at.pipelines.open(at.session(writer="outside", opener="me"))

        heard = await at.pipelines.signal(at.book, KillRequest(reason="wrong outline"))
        ending = await at.pipelines.result(at.book)

    assert heard == Acknowledgement(found="session", heard=True)
    assert (ending.outcome, ending.message) == ("stopped", "wrong outline")


async def test_a_kill_without_a_session_finds_nothing(desk: Opens) -> None:
    async with desk(FakeActivities()) as at:
        assert await at.pipelines.signal(at.book, KillRequest(reason="x")) == Acknowledgement(found="nothing")


async def test_a_schedule_has_five_runs_and_can_be_replaced_and_removed(desk: Opens) -> None:
    async with desk(FakeActivities()) as at:
        first = await at.schedules.put(at.session(), Timetable(every=timedelta(hours=6)))
        second = await at.schedules.put(
            at.session(), Timetable(cron="30 6 * * *", time_zone="Europe/Vienna", pause_on_failure=True)
        )
        paused = await at.schedules.pause(at.book, paused=True, note="by hand")
        replaced = await at.schedules.put(at.session(), Timetable(every=timedelta(hours=3)))
        resumed = await at.schedules.put(at.session(), Timetable(every=timedelta(hours=3)), paused=False)
        await at.schedules.remove(at.book)
        with pytest.raises(Refused, match="no schedule"):
            await at.schedules.remove(at.book)

    assert first.rhythm == "every 6h"
    assert len(first.next_runs) == 5
    assert list(first.next_runs) == sorted(first.next_runs)
    assert first.next_runs[0] > datetime.now(UTC)
    assert (second.rhythm, second.time_zone) == ("cron 30 6 * * *", "Europe/Vienna")
    assert (paused.paused, paused.next_runs) == (True, ())
    assert (replaced.paused, replaced.rhythm, replaced.note) == (True, "every 3h", "by hand")
    assert (resumed.paused, len(resumed.next_runs)) == (False, 5)


@pytest.mark.parametrize(
    "wanted", [{"cron": "0 3 * * *"}, {"every": timedelta(days=1)}], ids=["cron", "every"]
)
async def test_a_schedule_begins_by_the_delay_of_its_book_each_night(desk: Opens, wanted: Any) -> None:
    window = timedelta(minutes=30)
    async with desk(FakeActivities()) as at:
        sharp = await at.schedules.put(at.session(), Timetable(**wanted))
        spread = await at.schedules.put(at.session(), Timetable(**wanted, window=window))
        await at.schedules.remove(at.book)

    late = delay(f"book/{at.book}", window)
    assert {(run - late).timetz() for run in spread.next_runs} == {sharp.next_runs[0].timetz()}
    assert spread.rhythm == f"{sharp.rhythm} within 30m"


async def test_a_time_that_summer_time_leaves_out_runs_after_the_gap(desk: Opens) -> None:
    wanted = {
        ("30 2 25-31 3 0", "Europe/Berlin"): "03:30",
        ("30 2 8-14 3 0", "America/New_York"): "03:30",
        ("0 4 25-31 3 0", "Europe/Berlin"): "04:00",
        ("*/30 1-3 25-31 3 0", "Europe/Berlin"): "01:00 01:30 03:00 03:30",
        ("30 2 25-31 10 0", "Europe/Berlin"): "02:30",
    }
    found = {}
    async with desk(FakeActivities()) as at:
        for cron, zone in wanted:
            put = await at.schedules.put(at.session(), Timetable(cron=cron, time_zone=zone))
            runs = [run.astimezone(ZoneInfo(zone)) for run in put.next_runs]
            found[cron, zone] = " ".join(f"{run:%H:%M}" for run in runs if run.date() == runs[0].date())
        await at.schedules.remove(at.book)

    assert found == wanted


FIELDS = 5
LINES = (
    *("0 3 13 * 5", "0 3 */2 * 1", "0 3 * * 7", "0 3 * * 5-7", "0 3 * * 5/2", "0 3 * * */7", "0 0/6 * * *"),
    *("+5 3 * * *", "*/70 3 * * *", "*,5 3 * * *", "0 3 * jan-mar su,Mond", "0 3 * sept *"),
)


@pytest.mark.long
async def test_cron_lines_are_read_as_the_server_reads_them(desk: Opens) -> None:
    # The server takes "#2" for a comment, and would run each week.
    wrong = [cron for cron in WRONG if len(cron.split()) == FIELDS and "#" not in cron]
    async with desk(FakeActivities()) as at:
        for cron in wrong:
            with pytest.raises(UsageMistake, match="cannot be"):
                await at.schedules.put(at.session(), Timetable(cron=cron))
        runs = {
            cron: (await at.schedules.put(at.session(), Timetable(cron=cron))).next_runs for cron in LINES
        }
        await at.schedules.remove(at.book)

    for cron, found in runs.items():
        line, first = read(cron), found[0].date()
        days = (first + timedelta(days=each) for each in range((found[-1].date() - first).days + 1))
        named = [datetime.combine(day, at, UTC) for day in days if line.names_day(day) for at in line.times]
        assert [at for at in named if at >= found[0]][: len(found)] == list(found), cron


async def test_one_list_tells_every_schedule_in_short(desk: Opens) -> None:
    async with desk(FakeActivities()) as at:
        await at.schedules.put(at.session(), Timetable(every=timedelta(hours=6)))
        on = await _listed(at, paused=False)
        await at.schedules.pause(at.book, paused=True, note="by hand")
        off = await _listed(at, paused=True)
        await at.schedules.remove(at.book)

    assert on.next_run is not None
    assert on.next_run > datetime.now(UTC)
    assert (off.next_run, off.note) == (None, "by hand")


async def _listed(at: Desk, *, paused: bool) -> Timetabled:
    """The book's schedule, as soon as the list has it: lists are a little late."""
    while True:
        found = (await at.schedules.upcoming()).get(at.book)
        if found is not None and found.paused is paused:
            return found
        await asyncio.sleep(0.05)


async def test_the_schedule_of_a_moved_book_starts_sessions_at_its_new_place(
    desk: Opens, temporal_env: WorkflowEnvironment
) -> None:
    fakes = FakeActivities()
    async with desk(fakes) as at:
        await at.schedules.put(at.session(), Timetable(every=timedelta(hours=6)))
        moved = await at.schedules.move(at.book, Workspace(path="/shelf/b"))
        handle = temporal_env.client.get_schedule_handle(workflow_id(at.book))
        action = (await handle.describe()).schedule.action
        await at.schedules.remove(at.book)
        unscheduled = await at.schedules.move(at.book, Workspace(path="/shelf/b"))

    assert isinstance(action, ScheduleActionStartWorkflow)
    (kept,) = await temporal_env.client.data_converter.decode(action.args, [BookSessionInput])
    assert (moved, unscheduled) == (True, False)
    assert kept.workspace.path == "/shelf/b"
    assert kept.book_id == at.book


async def test_running_books_are_listed_with_what_they_say(desk: Opens) -> None:
    async with desk(FakeActivities()) as at:
        await at.pipelines.open(at.session(writer="outside", opener="me"))
        while (progress := (await at.pipelines.running()).get(at.book)) is None:  # noqa: ASYNC110
            await asyncio.sleep(0.05)
        await at.pipelines.close(at.book, DELIVERY)
        await at.pipelines.result(at.book)
        after = (await at.pipelines.running()).get(at.book)

    assert (progress.stage, progress.writer) == ("write", "outside")
    assert after is None


async def test_a_cron_line_the_server_rejects_is_wrong_use(desk: Opens) -> None:
    async with desk(FakeActivities()) as at:
        with pytest.raises(UsageMistake, match=r"--cron '99 6 \* \* \*' cannot be: Minute"):
            await at.schedules.put(at.session(), Timetable(cron="99 6 * * *"))


async def test_a_close_that_waits_for_a_person_is_shown_and_decided(desk: Opens) -> None:
    fakes = FakeActivities(close_session=[a_denied_close(), a_close()])
    async with desk(fakes) as at:
        nothing = await at.pipelines.pending(at.book)
        await at.pipelines.start(at.session())
        await fakes.reached["announce_approval"].wait()
        request = await at.pipelines.pending(at.book)
        assert request is not None
        decision = ApprovalDecision(
            approval=request.id, plan_digest=request.need.plan_digest, decided="approved", by="ada"
        )

        with pytest.raises(Refused, match="AP-1"):
            await at.pipelines.decide(at.book, decision.model_copy(update={"approval": "AP-1"}))
        await at.pipelines.decide(at.book, decision)

        ending = await at.pipelines.result(at.book)
        with pytest.raises(Refused):
            await at.pipelines.decide(at.book, decision)
    assert nothing is None
    assert ending.outcome == "closed"
    assert await at.pipelines.pending(at.book) is None
