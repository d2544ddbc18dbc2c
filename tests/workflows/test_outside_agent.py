"""An outside agent that must select its intent and corrects denied prose."""

import asyncio

import pytest
from temporalio.client import WorkflowHandle, WorkflowUpdateFailedError, WorkflowUpdateStage
from temporalio.exceptions import ApplicationError
from temporalio.testing import WorkflowEnvironment

from penwright.errors import Refused
from schemas.book_session import AdvanceRequest, BookSessionResult
from schemas.intents import ApprovalDecision
from schemas.outside_session import DeliverProse, OpenRequest, SelectRequest, SessionProse, SessionViewRequest
from tests.support.books.sessions import PROSE, a_close, a_denied_close, a_move, given
from tests.support.workflows.fake_activities import FakeActivities
from tests.workflows.test_book_session import BookWorker, book_worker
from workflows.book_session import BookSession

DELIVERY = DeliverProse(written=SessionProse(prose=PROSE, who="claude-code 2.1"), session="s")
OTHER = DELIVERY.model_copy(
    update={"written": SessionProse(prose=PROSE.model_copy(update={"sha256": "d" * 64}))}
)
SELECT = SelectRequest(intent="INT-001", session="s")

Handle = WorkflowHandle[BookSession, BookSessionResult]


async def opened(book: BookWorker) -> Handle:
    handle = await book.start(writer="outside", opener="agent-1", who="claude-code 2.1", must_select=True)
    await handle.execute_update(BookSession.select_active_intent, SELECT)
    return handle


async def refused(asking: object) -> ApplicationError:
    with pytest.raises(WorkflowUpdateFailedError) as failure:
        await asking  # type: ignore[misc]
    assert isinstance(failure.value.cause, ApplicationError)
    return failure.value.cause


async def test_an_unselected_intent_denies_before_anything_enters_the_history(
    temporal_env: WorkflowEnvironment,
) -> None:
    fakes = FakeActivities()

    async with book_worker(temporal_env, fakes) as book:
        handle = await book.start(writer="outside", opener="agent-1", must_select=True)
        await handle.query(BookSession.standing, SessionViewRequest())
        before = (await handle.fetch_history()).events
        closing = await refused(handle.execute_update(BookSession.close, DELIVERY))
        moving = await refused(handle.execute_update(BookSession.advance, AdvanceRequest(session="s")))
        after = (await handle.fetch_history()).events
        await handle.execute_update(BookSession.select_active_intent, SELECT)
        await handle.execute_update(BookSession.close, DELIVERY)
        await handle.result()

    assert (closing.type, moving.type) == ("intent-not-selected", "intent-not-selected")
    assert [
        each.event_type
        for each in after
        if each.HasField("workflow_execution_update_accepted_event_attributes")
    ] == []
    assert len(before) <= len(after)
    assert fakes.asked.count("close_session") == 1


async def test_denied_prose_may_be_corrected_and_delivered_again(temporal_env: WorkflowEnvironment) -> None:
    no = Refused("empty-prose", "there is nothing in it", action_hint="write something")
    fakes = FakeActivities(close_session=[no, a_close()])

    async with book_worker(temporal_env, fakes) as book:
        handle = await opened(book)
        first = await refused(handle.execute_update(BookSession.close, DELIVERY))
        closed = await handle.execute_update(BookSession.close, OTHER)
        result = await handle.result()

    assert (first.type, first.details[0]["action_hint"]) == ("empty-prose", "write something")
    assert closed.report.push == "pushed"
    assert (result.outcome, result.prose) == ("closed", OTHER.written.prose)


async def test_a_changed_intent_is_selected_again_without_approval(
    temporal_env: WorkflowEnvironment,
) -> None:
    fakes = FakeActivities(close_session=[a_denied_close(codes=("INTENT_CHANGED",)), a_close()])

    async with book_worker(temporal_env, fakes) as book:
        handle = await opened(book)
        stale = await refused(handle.execute_update(BookSession.close, DELIVERY))
        await handle.execute_update(BookSession.select_active_intent, SELECT)
        await handle.execute_update(BookSession.close, DELIVERY)
        result = await handle.result()

    assert stale.type == "intent-changed"
    assert result.outcome == "closed"
    assert "announce_approval" not in fakes.asked


async def test_a_denied_advance_keeps_the_session(temporal_env: WorkflowEnvironment) -> None:
    fakes = FakeActivities(advance_chapter=[Refused("config-invalid", "mend Config.yml"), a_move()])

    async with book_worker(temporal_env, fakes) as book:
        handle = await opened(book)
        ask = AdvanceRequest(session="s")
        first = await handle.start_update(
            BookSession.advance, ask, wait_for_stage=WorkflowUpdateStage.ACCEPTED
        )
        second = await handle.start_update(
            BookSession.advance, ask, wait_for_stage=WorkflowUpdateStage.ACCEPTED
        )
        denied, moved = await asyncio.gather(refused(first.result()), second.result())
        await handle.execute_update(BookSession.close, DELIVERY)
        await handle.result()

    assert denied.type == "config-invalid"
    assert moved.report.new_chapter == 2


async def test_the_second_of_two_concurrent_deliveries_is_refused(
    temporal_env: WorkflowEnvironment,
) -> None:
    fakes = FakeActivities(close_session="hang")

    async with book_worker(temporal_env, fakes) as book:
        handle = await opened(book)
        asked = [handle.execute_update(BookSession.close, each) for each in (DELIVERY, OTHER)]
        waiting = [asyncio.create_task(each) for each in asked]
        done, _ = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        fakes.let_go.set()
        ends = await asyncio.gather(*waiting, return_exceptions=True)
        result = await handle.result()

    (late,) = (each for each in ends if isinstance(each, WorkflowUpdateFailedError))
    assert isinstance(late.cause, ApplicationError)
    assert late.cause.type == "already-delivered"
    assert {id(each) for each in done} == {id(waiting[ends.index(late)])}
    assert result.prose == (DELIVERY, OTHER)[1 - ends.index(late)].written.prose


async def test_prose_that_was_closed_already_is_answered_as_repeated(
    temporal_env: WorkflowEnvironment,
) -> None:
    fakes = FakeActivities(end_session="hang")

    async with book_worker(temporal_env, fakes) as book:
        handle = await opened(book)
        first = await handle.execute_update(BookSession.close, DELIVERY)
        again = await handle.execute_update(BookSession.close, DELIVERY)
        fakes.let_go.set()
        await handle.result()

    assert (first.report.repeated, again.report.repeated) == (False, True)
    assert first.commit == again.commit


async def test_a_call_for_another_session_is_refused(temporal_env: WorkflowEnvironment) -> None:
    async with book_worker(temporal_env, FakeActivities()) as book:
        handle = await opened(book)
        stale = DELIVERY.model_copy(update={"session": "yesterday"})
        wrong = await refused(handle.execute_update(BookSession.close, stale))
        await handle.execute_update(BookSession.close, DELIVERY)
        await handle.result()

    assert wrong.type == "other-session"
    assert given().session == "s"


async def test_a_call_from_another_folder_is_refused_by_name(temporal_env: WorkflowEnvironment) -> None:
    fakes, elsewhere = FakeActivities(), "penwright-repo:/elsewhere"

    async with book_worker(temporal_env, fakes) as book:
        handle = await opened(book)
        view = await handle.query(BookSession.standing, SessionViewRequest())
        joined = await handle.execute_update(BookSession.open, OpenRequest(opener="agent-1", place=elsewhere))
        asked = [
            await refused(handle.execute_update(call, message))  # type: ignore[arg-type]
            for call, message in (
                (BookSession.close, DELIVERY.model_copy(update={"place": elsewhere})),
                (BookSession.advance, AdvanceRequest(session="s", place=elsewhere)),
                (BookSession.select_active_intent, SELECT.model_copy(update={"place": elsewhere})),
            )
        ]
        await handle.execute_update(BookSession.close, DELIVERY.model_copy(update={"place": view.place}))
        await handle.result()

    folder = view.place.partition(":")[2]
    assert [each.type for each in asked] == ["open-elsewhere"] * 3
    assert all(f"open in '{folder}', not in '/elsewhere'" in each.message for each in asked)
    assert (joined.verdict, f"open in '{folder}'" in joined.message) == ("already-running", True)
    assert fakes.asked.count("close_session") == 1


async def test_an_approvable_denial_is_put_up_for_approval(temporal_env: WorkflowEnvironment) -> None:
    fakes = FakeActivities(close_session=[a_denied_close(), a_close()])

    async with book_worker(temporal_env, fakes) as book:
        handle = await opened(book)
        asked = WorkflowUpdateStage.ACCEPTED
        close = await handle.start_update(BookSession.close, DELIVERY, wait_for_stage=asked)
        await fakes.reached["announce_approval"].wait()
        request = (await handle.query(BookSession.state)).asked
        assert request is not None
        decision = ApprovalDecision(
            approval=request.id, plan_digest=request.need.plan_digest, decided="approved", by="ada"
        )
        await handle.execute_update(BookSession.decide_approval, decision)
        closed = await close.result()
        result = await handle.result()

    assert closed.report.push == "pushed"
    assert (result.outcome, result.prose) == ("closed", PROSE)
