"""An errand as Temporal runs it, with scripted activities: signals between its two steps."""

from uuid import uuid4

import pytest
from temporalio.client import WorkflowFailureError, WorkflowHandle
from temporalio.exceptions import ApplicationError
from temporalio.testing import WorkflowEnvironment
from temporalio.worker import Worker

from penwright.errors import Refused, RemoteUnavailable
from schemas.book import CompleteReport
from schemas.book_errand import BookErrandInput, BookErrandResult
from schemas.book_session import Completed
from schemas.book_text import BookEdited
from schemas.control import KillRequest
from tests.support.books.sessions import given
from tests.support.workflows.fake_activities import FakeActivities
from workers.temporal_plugin import WORKFLOWS
from workflows.book_errand import BookErrand

KILL = KillRequest(who="ada", reason="the wrong book")


async def begin(
    env: WorkflowEnvironment, queue: str, kind: str = "advance"
) -> WorkflowHandle[BookErrand, BookErrandResult]:
    fields = given().model_dump(include={"book_id", "workspace"})
    errand = BookErrandInput.model_validate({**fields, "session": "s", "kind": kind, "repo_queue": queue})
    return await env.client.start_workflow(BookErrand.run, errand, id=f"book/{queue}", task_queue=queue)


def worker(env: WorkflowEnvironment, fakes: FakeActivities, queue: str) -> Worker:
    return Worker(env.client, task_queue=queue, workflows=WORKFLOWS, activities=fakes.all())


async def test_an_errand_changes_the_book_and_pushes(temporal_env: WorkflowEnvironment) -> None:
    fakes, queue = FakeActivities(), uuid4().hex

    async with worker(temporal_env, fakes, queue):
        result = await (await begin(temporal_env, queue)).result()

    assert (fakes.asked, result.push) == (["advance_chapter", "push_book"], "pushed")


async def test_an_edit_is_saved_and_pushed(temporal_env: WorkflowEnvironment) -> None:
    fakes, queue = FakeActivities(), uuid4().hex

    async with worker(temporal_env, fakes, queue):
        result = await (await begin(temporal_env, queue, "edit")).result()

    assert fakes.asked == ["edit_book", "push_book"]
    assert result.edit is not None
    assert (result.edit.outcome, result.edit.push) == ("saved", "pushed")


async def test_an_edit_in_conflict_pushes_nothing(temporal_env: WorkflowEnvironment) -> None:
    clash = BookEdited(outcome="conflict", path="a.md", code="edited-meanwhile")
    fakes, queue = FakeActivities(edit_book=clash), uuid4().hex

    async with worker(temporal_env, fakes, queue):
        result = await (await begin(temporal_env, queue, "edit")).result()

    assert fakes.asked == ["edit_book"]
    assert result.edit == clash


async def test_a_completion_finishes_the_book_before_the_push(temporal_env: WorkflowEnvironment) -> None:
    fakes, queue = FakeActivities(), uuid4().hex

    async with worker(temporal_env, fakes, queue):
        await (await begin(temporal_env, queue, "complete")).result()

    assert fakes.asked == ["complete_book", "finish_book", "push_book"]
    finish = fakes.orders[1]
    assert (finish.result.outcome, finish.result.book_id) == ("completed", "b")
    assert finish.effect.op_id == "book/b#s:1"


async def test_a_completion_is_finished_even_when_it_is_killed_meanwhile(
    temporal_env: WorkflowEnvironment,
) -> None:
    fakes, queue = FakeActivities(complete_book="hang"), uuid4().hex

    async with worker(temporal_env, fakes, queue):
        handle = await begin(temporal_env, queue, "complete")
        await fakes.reached["complete_book"].wait()
        await handle.signal(BookErrand.kill, KILL)
        fakes.let_go.set()
        result = await handle.result()

    assert (fakes.asked, result.push) == (["complete_book", "finish_book"], "pending")


async def test_a_book_that_is_not_ready_is_not_finished(temporal_env: WorkflowEnvironment) -> None:
    open_note = Completed(report=CompleteReport(status="needs_revision"))
    fakes, queue = FakeActivities(complete_book=open_note), uuid4().hex

    async with worker(temporal_env, fakes, queue):
        await (await begin(temporal_env, queue, "complete")).result()

    assert fakes.asked == ["complete_book"]


async def test_a_pause_holds_the_push_until_resume(temporal_env: WorkflowEnvironment) -> None:
    fakes, queue = FakeActivities(advance_chapter="hang"), uuid4().hex

    async with worker(temporal_env, fakes, queue):
        handle = await begin(temporal_env, queue)
        await fakes.reached["advance_chapter"].wait()
        await handle.signal(BookErrand.pause)
        fakes.let_go.set()
        paused = await handle.query(BookErrand.progress)
        asked_while_paused = list(fakes.asked)
        await handle.signal(BookErrand.resume)
        result = await handle.result()

    assert (paused.stage, asked_while_paused) == ("paused", ["advance_chapter"])
    assert result.push == "pushed"


async def test_a_kill_after_the_change_leaves_the_push_pending(temporal_env: WorkflowEnvironment) -> None:
    fakes, queue = FakeActivities(advance_chapter="hang"), uuid4().hex

    async with worker(temporal_env, fakes, queue):
        handle = await begin(temporal_env, queue)
        await fakes.reached["advance_chapter"].wait()
        await handle.signal(BookErrand.kill, KILL)
        fakes.let_go.set()
        result = await handle.result()

    assert (fakes.asked, result.push) == (["advance_chapter"], "pending")
    assert result.advance is not None


async def test_a_kill_before_the_change_changes_nothing(temporal_env: WorkflowEnvironment) -> None:
    fakes, queue = FakeActivities(), uuid4().hex

    handle = await begin(temporal_env, queue)
    await handle.signal(BookErrand.kill, KILL)
    async with worker(temporal_env, fakes, queue):
        with pytest.raises(WorkflowFailureError) as failed:
            await handle.result()

    assert isinstance(failed.value.cause, ApplicationError)
    assert failed.value.cause.type == "killed"
    assert fakes.asked == []


async def test_a_refused_errand_fails_under_the_rules_code(temporal_env: WorkflowEnvironment) -> None:
    refused = Refused("book-sealed", "the book is complete", hint="roll it back")
    fakes, queue = FakeActivities(advance_chapter=refused), uuid4().hex

    async with worker(temporal_env, fakes, queue):
        with pytest.raises(WorkflowFailureError) as failed:
            await (await begin(temporal_env, queue)).result()

    assert isinstance(failed.value.cause, ApplicationError)
    assert (failed.value.cause.type, failed.value.cause.message) == ("book-sealed", "the book is complete")
    assert failed.value.cause.details[0]["hint"] == "roll it back"


async def test_a_remote_that_stays_away_leaves_the_push_pending(
    time_skipping_env: WorkflowEnvironment,
) -> None:
    gone = RemoteUnavailable("remote-unreachable", "the remote did not answer")
    fakes, queue = FakeActivities(push_book=gone), uuid4().hex

    async with worker(time_skipping_env, fakes, queue):
        result = await (await begin(time_skipping_env, queue)).result()

    assert result.push == "pending"
