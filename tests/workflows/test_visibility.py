"""What the list of the Temporal UI says of a session or errand: where it is, how it ended, and why."""

import asyncio
from contextlib import suppress
from uuid import uuid4

import pytest
from temporalio.client import WorkflowFailureError, WorkflowHandle
from temporalio.testing import WorkflowEnvironment

from penwright.errors import Refused, RemoteUnavailable
from schemas.book import CompleteReport
from schemas.book_errand import BookErrandInput
from schemas.book_session import Completed
from tests.support.books.sessions import a_close, a_reply, an_opening, given
from tests.support.workflows.fake_activities import FakeActivities
from tests.workflows.test_book_errand import worker
from tests.workflows.test_book_session import DELIVERY, KILL, book_worker
from workflows.book_errand import BookErrand
from workflows.book_schedule import ScheduledBookSession
from workflows.book_session import BookSession

POLL_S = 0.02
REFUSAL = Refused("config-missing", "there is no Config.yml")
AWAY = RemoteUnavailable("remote-unreachable", "the remote did not answer")


async def shown(handle: WorkflowHandle) -> dict[str, object]:  # type: ignore[type-arg]
    """The search attributes, without the prefix of their names."""
    described = await handle.describe()
    return {p.key.name.removeprefix("Penwright"): p.value for p in described.typed_search_attributes}


async def until_stage(handle: WorkflowHandle, stage: str) -> None:  # type: ignore[type-arg]
    async with asyncio.timeout(20):
        while (await shown(handle)).get("Stage") != stage:  # noqa: ASYNC110  # the server sends no event for it
            await asyncio.sleep(POLL_S)


@pytest.mark.parametrize(
    ("fakes", "outcome", "code"),
    [
        (FakeActivities(), "written", ""),
        (
            FakeActivities(
                call_model=a_reply(arcs_closed=True), close_session=a_close(completion_ready=True)
            ),
            "sealed",
            "",
        ),
        (FakeActivities(open_session=REFUSAL), "refused", "config-missing"),
        (FakeActivities(open_session=an_opening(verdict="sealed")), "refused", "sealed"),
        (FakeActivities(open_session=an_opening(verdict="killed")), "killed", "kill-file"),
        (FakeActivities(close_session=REFUSAL), "failed", "config-missing"),
        (FakeActivities(push_book=Refused("push-rejected", "a hook says no")), "written", "push-rejected"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
async def test_an_ended_session_shows_its_outcome_and_code(
    temporal_env: WorkflowEnvironment, fakes: FakeActivities, outcome: str, code: str
) -> None:
    async with book_worker(temporal_env, fakes) as book:
        handle = await book.start()
        await _end_of(handle)
        attributes = await shown(handle)

    assert (attributes["Outcome"], attributes.get("Code", "")) == (outcome, code)


async def test_a_killed_session_shows_that(temporal_env: WorkflowEnvironment) -> None:
    async with book_worker(temporal_env, FakeActivities()) as book:
        handle = await book.open("agent-1")
        before = await shown(handle)
        await handle.signal(BookSession.kill, KILL)
        await handle.result()
        after = await shown(handle)

    assert "Outcome" not in before
    assert (after["Outcome"], after["Code"]) == ("killed", "killed")


async def test_a_session_that_waits_for_its_agent_shows_a_pause_and_its_end(
    temporal_env: WorkflowEnvironment,
) -> None:
    async with book_worker(temporal_env, FakeActivities()) as book:
        handle = await book.open("agent-1")
        await handle.signal(BookSession.pause)
        await until_stage(handle, "paused")
        await handle.signal(BookSession.resume)
        await until_stage(handle, "open")
        await handle.execute_update(BookSession.close, DELIVERY)
        await handle.result()
        attributes = await shown(handle)

    assert (attributes["Stage"], attributes["Outcome"]) == ("close", "written")


async def test_a_pause_during_a_models_call_is_shown_before_the_call_ends(
    temporal_env: WorkflowEnvironment,
) -> None:
    fakes = FakeActivities(call_model=["hang", a_reply()])

    async with book_worker(temporal_env, fakes) as book:
        handle = await book.start()
        await fakes.reached["call_model"].wait()
        await handle.signal(BookSession.pause)
        await until_stage(handle, "paused")
        was_answered = fakes.let_go.is_set()
        await handle.signal(BookSession.resume)
        fakes.let_go.set()
        result = await handle.result()
        attributes = await shown(handle)

    assert not was_answered
    assert (result.outcome, attributes["Stage"]) == ("closed", "close")


async def test_a_pause_during_the_agents_wait_stops_the_clock(
    time_skipping_env: WorkflowEnvironment,
) -> None:
    fakes = FakeActivities(open_session=an_opening(timeout_minutes=1))

    async with book_worker(time_skipping_env, fakes) as book:
        handle = await book.open("agent-1")
        await handle.signal(BookSession.pause)
        await time_skipping_env.sleep(600)
        paused = await handle.query(BookSession.progress)
        await handle.signal(BookSession.resume)
        result = await handle.result()

    assert (paused.stage, paused.ended) == ("paused", False)
    assert (result.outcome, result.code) == ("stopped", "session-timeout")


@pytest.mark.parametrize(
    ("kind", "fakes", "outcome", "code"),
    [
        ("advance", FakeActivities(), "done", "advanced"),
        ("rollback", FakeActivities(), "done", "rolled-back"),
        ("complete", FakeActivities(), "sealed", ""),
        (
            "complete",
            FakeActivities(complete_book=Completed(report=CompleteReport(status="needs_revision"))),
            "refused",
            "needs-revision",
        ),
        ("advance", FakeActivities(advance_chapter=REFUSAL), "refused", "config-missing"),
        ("advance", FakeActivities(push_book=Refused("push-rejected", "no")), "done", "push-rejected"),
    ],
)
async def test_an_ended_errand_shows_its_outcome_and_code(
    temporal_env: WorkflowEnvironment, kind: str, fakes: FakeActivities, outcome: str, code: str
) -> None:
    queue = uuid4().hex
    errand = BookErrandInput.model_validate(
        {**given().model_dump(include={"book_id", "workspace"}), "session": "s", "kind": kind}
        | {"repo_queue": queue}
    )

    async with worker(temporal_env, fakes, queue):
        handle = await temporal_env.client.start_workflow(
            BookErrand.run, errand, id=f"book/{queue}", task_queue=queue
        )
        await _end_of(handle)
        attributes = await shown(handle)

    assert (attributes["Outcome"], attributes.get("Code", "")) == (outcome, code)


async def test_a_scheduled_run_shows_the_outcome_of_its_session(temporal_env: WorkflowEnvironment) -> None:
    async with book_worker(temporal_env, FakeActivities(open_session=REFUSAL)) as book:
        handle = await temporal_env.client.start_workflow(
            ScheduledBookSession.run,
            book.given(),
            id=f"book-schedule/{book.queue}",
            task_queue=book.queue,
        )
        await handle.result()
        attributes = await shown(handle)

    assert (attributes["Pipeline"], attributes["Subject"]) == ("book-schedule", book.queue)
    assert (attributes["Outcome"], attributes["Code"]) == ("refused", "config-missing")


async def _end_of(handle: WorkflowHandle) -> None:  # type: ignore[type-arg]
    with suppress(WorkflowFailureError):
        await handle.result()
