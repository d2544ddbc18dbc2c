"""A book session as Temporal runs it, with scripted activities."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from uuid import uuid4

import pytest
from temporalio.client import (
    Client,
    WithStartWorkflowOperation,
    WorkflowFailureError,
    WorkflowHandle,
    WorkflowUpdateFailedError,
    WorkflowUpdateStage,
)
from temporalio.common import WorkflowIDConflictPolicy
from temporalio.exceptions import ApplicationError, WorkflowAlreadyStartedError
from temporalio.testing import WorkflowEnvironment
from temporalio.worker import Worker

from penwright.errors import (
    BrokenWorkspace,
    BudgetSpent,
    ModelFinal,
    ModelUnavailable,
    Refused,
    RemoteUnavailable,
)
from schemas.book_session import AdvanceRequest, BookSessionInput, BookSessionResult, CloseSession, WriteProse
from schemas.control import KillRequest
from schemas.outside_session import DeliverProse, OpenRequest, SelectRequest, SessionProse
from schemas.queue_time import QueueTime
from tests.support.books.sessions import PROSE, a_close, a_reply, an_opening, given
from tests.support.engine.temporal import time_skipping
from tests.support.workflows.fake_activities import WRITING, FakeActivities
from workers.temporal_plugin import WORKFLOWS
from workflows.book_schedule import ScheduledBookSession
from workflows.book_session import BookSession
from workflows.options import TASK_TIMEOUT

KILL = KillRequest(who="ada", reason="wrong chapter")
_ACCEPTED = WorkflowUpdateStage.ACCEPTED
DELIVERY = DeliverProse(written=SessionProse(prose=PROSE, summary="They met."))


class BookWorker:
    """One book, one queue, one worker."""

    def __init__(self, client: Client, queue: str) -> None:
        self.client = client
        self.queue = queue

    def given(self, **changes: object) -> BookSessionInput:
        queues = {"book_id": self.queue, "repo_queue": self.queue, "model_queue": self.queue}
        return given(**(queues | changes))

    async def start(self, **changes: object) -> WorkflowHandle[BookSession, BookSessionResult]:
        return await self.client.start_workflow(
            BookSession.run,
            self.given(**changes),
            id=f"book/{self.queue}",
            task_queue=self.queue,
            task_timeout=TASK_TIMEOUT,
        )

    async def open(self, opener: str) -> WorkflowHandle[BookSession, BookSessionResult]:
        """Open as an outside agent does; the verdict must be open."""
        start = WithStartWorkflowOperation(
            BookSession.run,
            self.given(writer="outside", opener=opener),
            id=f"book/{self.queue}",
            task_queue=self.queue,
            id_conflict_policy=WorkflowIDConflictPolicy.USE_EXISTING,
        )
        opened = await self.client.execute_update_with_start_workflow(
            BookSession.open, OpenRequest(opener=opener), start_workflow_operation=start
        )
        assert opened.verdict == "open"
        return await start.workflow_handle()


@asynccontextmanager
async def book_worker(env: WorkflowEnvironment, fakes: FakeActivities) -> AsyncIterator[BookWorker]:
    queue = f"q-{uuid4().hex[:8]}"
    async with Worker(env.client, task_queue=queue, workflows=WORKFLOWS, activities=fakes.all()):
        yield BookWorker(env.client, queue)


async def test_a_session_is_written_closed_pushed_and_recorded(temporal_env: WorkflowEnvironment) -> None:
    fakes = FakeActivities()

    async with book_worker(temporal_env, fakes) as book:
        result = await (await book.start()).result()

    assert (result.outcome, result.push) == ("closed", "pushed")
    assert fakes.asked == ["open_session", *WRITING, "close_session", "push_book", "end_session"]


async def test_every_effect_of_a_session_has_its_own_op_id(
    temporal_env: WorkflowEnvironment,
) -> None:
    fakes = FakeActivities()

    async with book_worker(temporal_env, fakes) as book:
        await (await book.start()).result()

    changing = (order for order in fakes.orders if not isinstance(order, WriteProse))
    ids = [order.effect.op_id for order in changing]
    session, run = f"book/{book.queue}#s:", f"book/{book.queue}/s#"
    assert ids == [
        f"{session}0",
        *(f"{run}{n}" for n in (0, 1, 2)),
        *(f"{session}{n}" for n in (2, 3, 4)),
    ]


async def test_a_second_session_of_the_same_book_is_refused(temporal_env: WorkflowEnvironment) -> None:
    fakes = FakeActivities(call_model="hang")

    async with book_worker(temporal_env, fakes) as book:
        first = await book.start()
        await fakes.reached["call_model"].wait()
        with pytest.raises(WorkflowAlreadyStartedError):
            await book.start(session="other")
        fakes.let_go.set()
        await first.result()

    assert fakes.asked.count("open_session") == 1


async def test_a_kill_interrupts_the_writer_and_gives_the_book_back(
    temporal_env: WorkflowEnvironment,
) -> None:
    fakes = FakeActivities(call_model="hang")

    async with book_worker(temporal_env, fakes) as book:
        handle = await book.start()
        await fakes.reached["call_model"].wait()
        await handle.signal(BookSession.kill, KILL)
        result = await handle.result()
        fakes.let_go.set()

    assert (result.outcome, result.stopped_by, result.message) == ("stopped", "ada", "wrong chapter")
    assert fakes.asked[-3:] == ["release_book", "push_book", "end_session"]


async def test_a_kill_during_the_close_ends_after_the_commit(temporal_env: WorkflowEnvironment) -> None:
    fakes = FakeActivities(close_session="hang")

    async with book_worker(temporal_env, fakes) as book:
        handle = await book.start()
        await fakes.reached["close_session"].wait()
        await handle.signal(BookSession.kill, KILL)
        fakes.let_go.set()
        result = await handle.result()

    assert result.outcome == "stopped"
    assert result.report is not None
    assert "release_book" not in fakes.asked


async def test_cancelling_in_the_temporal_ui_is_a_kill(temporal_env: WorkflowEnvironment) -> None:
    fakes = FakeActivities(call_model="hang")

    async with book_worker(temporal_env, fakes) as book:
        handle = await book.start()
        await fakes.reached["call_model"].wait()
        await handle.cancel()
        result = await handle.result()
        fakes.let_go.set()

    assert (result.outcome, result.stopped_by) == ("stopped", "temporal")
    assert "release_book" in fakes.asked


async def test_a_pause_holds_the_next_step_until_resume(temporal_env: WorkflowEnvironment) -> None:
    fakes = FakeActivities(call_model="hang")

    async with book_worker(temporal_env, fakes) as book:
        handle = await book.start()
        await fakes.reached["call_model"].wait()
        await handle.signal(BookSession.pause)
        fakes.let_go.set()
        paused = await handle.query(BookSession.progress)
        asked_while_paused = list(fakes.asked)
        await handle.signal(BookSession.resume)
        result = await handle.result()

    assert paused.paused
    assert "close_session" not in asked_while_paused
    assert result.outcome == "closed"


async def test_a_spent_budget_pauses_the_session_and_a_resume_writes_again(
    temporal_env: WorkflowEnvironment,
) -> None:
    spent = BudgetSpent("budget-spent", "the day's cap is spent; raise it and resume")
    fakes = FakeActivities(call_model=[spent, "hang"])
    fakes.let_go.set()

    async with book_worker(temporal_env, fakes) as book:
        handle = await book.start()
        await fakes.reached["call_model"].wait()
        progress = await handle.query(BookSession.progress)
        while not progress.paused:
            progress = await handle.query(BookSession.progress)
        await handle.signal(BookSession.resume)
        result = await handle.result()

    assert progress.detail == "Paused: the day's cap is spent; raise it and resume"
    assert result.outcome == "closed"


async def test_a_workspace_in_a_bad_state_refuses_the_session_at_once(
    temporal_env: WorkflowEnvironment,
) -> None:
    fakes = FakeActivities(open_session=BrokenWorkspace("wrong-branch", "switch to 'main' first"))

    async with book_worker(temporal_env, fakes) as book:
        result = await (await book.start()).result()

    assert (result.outcome, result.code, result.message) == (
        "refused",
        "wrong-branch",
        "switch to 'main' first",
    )
    assert fakes.asked == ["open_session", "end_session"]


async def test_a_model_that_fails_for_good_fails_the_session_under_its_code(
    temporal_env: WorkflowEnvironment,
) -> None:
    fakes = FakeActivities(call_model=ModelFinal("model-auth", "check the key of 'sonnet'"))

    async with book_worker(temporal_env, fakes) as book:
        handle = await book.start()
        with pytest.raises(WorkflowFailureError) as failed:
            await handle.result()

    assert isinstance(failed.value.cause, ApplicationError)
    assert failed.value.cause.type == "model-auth"
    assert fakes.asked == ["open_session", *WRITING, "release_book", "push_book", "end_session"]


async def test_a_remote_that_stays_away_leaves_the_push_pending(
    time_skipping_env: WorkflowEnvironment,
) -> None:
    gone = RemoteUnavailable("remote-unreachable", "the remote did not answer")
    fakes = FakeActivities(push_book=gone)

    async with book_worker(time_skipping_env, fakes) as book:
        result = await (await book.start()).result()

    assert (result.outcome, result.push) == ("closed", "pending")
    assert fakes.asked.count("push_book") == 4


async def test_an_agent_that_never_delivers_loses_the_book_after_the_timeout(
    time_skipping_env: WorkflowEnvironment,
) -> None:
    fakes = FakeActivities(open_session=an_opening(timeout_minutes=60))

    async with book_worker(time_skipping_env, fakes) as book:
        result = await (await book.start(writer="outside")).result()

    assert (result.outcome, result.code) == ("stopped", "session-timeout")
    assert fakes.asked == ["open_session", "release_book", "push_book", "end_session"]


async def test_a_pause_at_a_cap_gives_the_book_back_after_the_timeout(
    time_skipping_env: WorkflowEnvironment,
) -> None:
    fakes = FakeActivities(call_model=BudgetSpent("budget-spent", "the cap is spent"))

    async with book_worker(time_skipping_env, fakes) as book:
        result = await (await book.start()).result()

    assert (result.outcome, result.code, result.message) == ("stopped", "session-timeout", "the cap is spent")


@pytest.mark.parametrize(
    ("answers_after_minutes", "ending", "questions"),
    [(65, ("closed", ""), 1), (95, ("stopped", "session-timeout"), 2)],
)
async def test_only_what_a_call_waited_in_queues_is_not_the_sessions_time(
    time_skipping_env: WorkflowEnvironment,
    answers_after_minutes: int,
    ending: tuple[str, str],
    questions: int,
) -> None:
    away = ModelUnavailable("model-away", "not now", retry_after_s=answers_after_minutes * 60)
    half = QueueTime(waited_s=30 * 60)
    fakes = FakeActivities(call_model=[away, a_reply()], time_in_queues=half)

    async with book_worker(time_skipping_env, fakes) as book:
        result = await (await book.start()).result()

    assert (result.outcome, result.code) == ending
    assert fakes.asked.count("time_in_queues") == questions


async def test_cancelling_while_the_session_asks_for_its_time_in_queues_is_a_kill() -> None:
    away = ModelUnavailable("model-away", "not now", retry_after_s=65 * 60)
    fakes = FakeActivities(call_model=[away, a_reply()], time_in_queues="hang")
    asked = fakes.reached.setdefault("time_in_queues", asyncio.Event())

    async with time_skipping() as env, book_worker(env, fakes) as book:
        handle = await book.start()
        ending = asyncio.create_task(handle.result())
        await asked.wait()
        await handle.cancel()
        result = await ending
        fakes.let_go.set()

    assert (result.outcome, result.code) == ("stopped", "killed")
    assert result.stopped_by == "temporal"


async def test_an_outside_agent_opens_advances_and_closes(temporal_env: WorkflowEnvironment) -> None:
    fakes = FakeActivities()

    async with book_worker(temporal_env, fakes) as book:
        handle = await book.open("agent-1")
        advanced = await handle.execute_update(BookSession.advance, AdvanceRequest())
        closed = await handle.execute_update(BookSession.close, DELIVERY)
        result = await handle.result()

    assert advanced.report.new_chapter == 2
    assert closed.report.push == "pushed"
    assert result.outcome == "closed"
    assert fakes.asked == ["open_session", "advance_chapter", "close_session", "push_book", "end_session"]


async def test_an_outside_agent_writes_under_the_intent_it_selects(temporal_env: WorkflowEnvironment) -> None:
    # Until then it is open to answers: an update that meets its end gets another error.
    fakes = FakeActivities(end_session="hang")

    async with book_worker(temporal_env, fakes) as book:
        handle = await book.open("agent-1")
        selected = await handle.execute_update(
            BookSession.select_active_intent, SelectRequest(intent="INT-002")
        )
        await handle.execute_update(BookSession.close, DELIVERY)
        with pytest.raises(WorkflowUpdateFailedError):
            await handle.execute_update(BookSession.select_active_intent, SelectRequest(intent="INT-003"))
        fakes.let_go.set()
        await handle.result()

    (closing,) = [order for order in fakes.orders if isinstance(order, CloseSession)]
    assert closing.pin == selected.pin
    assert selected.pin.intent_id == "INT-002"


async def test_an_unselectable_intent_leaves_the_session_unchanged(
    temporal_env: WorkflowEnvironment,
) -> None:
    fakes = FakeActivities(select_intent=Refused("intent-unknown", "no such intent"))

    async with book_worker(temporal_env, fakes) as book:
        handle = await book.open("agent-1")
        with pytest.raises(WorkflowUpdateFailedError) as refused:
            await handle.execute_update(BookSession.select_active_intent, SelectRequest(intent="INT-9"))
        await handle.execute_update(BookSession.close, DELIVERY)
        result = await handle.result()

    assert isinstance(refused.value.cause, ApplicationError)
    assert refused.value.cause.type == "intent-unknown"
    assert result.outcome == "closed"


async def test_a_second_agent_is_refused_while_a_session_runs(temporal_env: WorkflowEnvironment) -> None:
    fakes = FakeActivities()

    async with book_worker(temporal_env, fakes) as book:
        handle = await book.open("agent-1")
        again = await handle.execute_update(BookSession.open, OpenRequest(opener="agent-1"))
        other = await handle.execute_update(BookSession.open, OpenRequest(opener="agent-2"))
        await handle.execute_update(BookSession.close, DELIVERY)
        await handle.result()

    assert (again.verdict, other.verdict) == ("open", "already-running")
    assert fakes.asked.count("open_session") == 1


async def test_prose_delivered_twice_is_closed_once(temporal_env: WorkflowEnvironment) -> None:
    fakes = FakeActivities(close_session="hang")

    async with book_worker(temporal_env, fakes) as book:
        handle = await book.open("agent-1")
        first = await handle.start_update(BookSession.close, DELIVERY, wait_for_stage=_ACCEPTED)
        second = await handle.start_update(BookSession.close, DELIVERY, wait_for_stage=_ACCEPTED)
        fakes.let_go.set()
        assert await first.result() == await second.result()
        await handle.result()

    assert fakes.asked.count("close_session") == 1


async def test_other_prose_for_a_closed_session_is_rejected(temporal_env: WorkflowEnvironment) -> None:
    fakes = FakeActivities(close_session="hang")
    other = DeliverProse(written=SessionProse(prose=PROSE.model_copy(update={"sha256": "d" * 64})))

    async with book_worker(temporal_env, fakes) as book:
        handle = await book.open("agent-1")
        await handle.start_update(BookSession.close, DELIVERY, wait_for_stage=_ACCEPTED)
        await fakes.reached["close_session"].wait()
        with pytest.raises(WorkflowUpdateFailedError) as rejected:
            await handle.execute_update(BookSession.close, other)
        fakes.let_go.set()
        await handle.result()

    assert _code(rejected.value) == "already-delivered"


async def test_a_built_in_session_takes_no_prose_from_outside(temporal_env: WorkflowEnvironment) -> None:
    fakes = FakeActivities(call_model="hang")

    async with book_worker(temporal_env, fakes) as book:
        handle = await book.start()
        with pytest.raises(WorkflowUpdateFailedError) as rejected:
            await handle.execute_update(BookSession.close, DELIVERY)
        fakes.let_go.set()
        await handle.result()

    assert _code(rejected.value) == "no-active-session"


async def test_an_outside_agent_gets_the_reason_of_a_kill(temporal_env: WorkflowEnvironment) -> None:
    fakes = FakeActivities(advance_chapter="hang")

    async with book_worker(temporal_env, fakes) as book:
        handle = await book.open("agent-1")
        await handle.signal(BookSession.kill, KILL)
        result = await handle.result()

    assert result.outcome == "stopped"
    assert fakes.asked == ["open_session", "release_book", "push_book", "end_session"]


async def test_a_finished_book_is_completed_within_the_session(temporal_env: WorkflowEnvironment) -> None:
    fakes = FakeActivities(call_model=a_reply(arcs_closed=True), close_session=a_close(completion_ready=True))

    async with book_worker(temporal_env, fakes) as book:
        result = await (await book.start(schedule_id="book/b")).result()

    assert result.outcome == "completed"
    assert fakes.asked[-4:] == ["push_book", "complete_book", "push_book", "end_session"]
    assert fakes.orders[-1].schedule_id == "book/b"


async def test_a_scheduled_run_of_a_busy_book_is_refused_and_does_not_fail(
    temporal_env: WorkflowEnvironment,
) -> None:
    fakes = FakeActivities(call_model="hang")

    async with book_worker(temporal_env, fakes) as book:
        running = await book.start()
        await fakes.reached["call_model"].wait()
        scheduled = await book.client.execute_workflow(
            ScheduledBookSession.run,
            book.given(),
            id=f"book-schedule/{book.queue}",
            task_queue=book.queue,
        )
        fakes.let_go.set()
        await running.result()

    assert (scheduled.outcome, scheduled.code) == ("refused", "already-running")


async def test_a_scheduled_run_takes_the_lock_of_its_book(temporal_env: WorkflowEnvironment) -> None:
    fakes = FakeActivities()

    async with book_worker(temporal_env, fakes) as book:
        result = await book.client.execute_workflow(
            ScheduledBookSession.run,
            book.given(),
            id=f"book-schedule/{book.queue}",
            task_queue=book.queue,
        )
        described = await book.client.get_workflow_handle(f"book/{book.queue}").describe()

    assert result.outcome == "closed"
    assert described.workflow_type == "BookSession"


async def test_a_session_is_searchable_and_described_in_the_temporal_ui(
    temporal_env: WorkflowEnvironment,
) -> None:
    fakes = FakeActivities()

    async with book_worker(temporal_env, fakes) as book:
        handle = await book.start()
        await handle.result()
        described = await handle.describe()

    found = {pair.key.name: pair.value for pair in described.typed_search_attributes}
    assert found["PenwrightPipeline"] == "book-session"
    assert found["PenwrightSubject"] == book.queue
    assert found["PenwrightStage"] == "close"
    assert found["PenwrightWords"] == 1500


async def test_a_session_leaves_a_small_history(temporal_env: WorkflowEnvironment) -> None:
    fakes = FakeActivities()

    async with book_worker(temporal_env, fakes) as book:
        handle = await book.start()
        await handle.result()
        description = await handle.describe()

    assert description.raw_description.workflow_execution_info.history_size_bytes < 200_000


def _code(error: WorkflowUpdateFailedError) -> str:
    assert isinstance(error.cause, ApplicationError)
    return error.cause.type or ""
