"""A book session with a close that needs approval, as Temporal runs it.

The time-skipping server answers no more when an activity ends while it is being cancelled, so it serves only
the test that needs it.
"""

from datetime import timedelta
from typing import Any

import pytest
from temporalio.client import (
    WorkflowFailureError,
    WorkflowHandle,
    WorkflowUpdateFailedError,
    WorkflowUpdateStage,
)
from temporalio.exceptions import ApplicationError
from temporalio.testing import WorkflowEnvironment

from penwright.domain.approvals import WAIT
from schemas.book_session import BookSessionResult
from schemas.control import KillRequest
from schemas.intents import ApprovalDecision
from tests.support.books.sessions import a_close, a_denied_close
from tests.support.workflows.fake_activities import FakeActivities
from tests.workflows.test_book_session import DELIVERY, BookWorker, book_worker
from workflows.book_session import BookSession

Handle = WorkflowHandle[BookSession, BookSessionResult]
_ACCEPTED = WorkflowUpdateStage.ACCEPTED
OTHER = f"sha256:{'d' * 64}"


async def asked(book: BookWorker, fakes: FakeActivities) -> Handle:
    """A session that waits for a person."""
    handle = await book.start()
    await fakes.reached["announce_approval"].wait()
    return handle


async def answer(handle: Handle, **changes: object) -> ApprovalDecision:
    request = (await handle.query(BookSession.state)).asked
    assert request is not None
    decision = ApprovalDecision(
        approval=request.id, plan_digest=request.need.plan_digest, decided="approved", by="ada"
    )
    return decision.model_copy(update=changes)


async def decide(handle: Handle, **changes: object) -> None:
    await handle.execute_update(BookSession.decide_approval, await answer(handle, **changes))


async def failure_of(handle: Handle) -> ApplicationError:
    with pytest.raises(WorkflowFailureError) as failed:
        await handle.result()
    assert isinstance(failed.value.cause, ApplicationError)
    return failed.value.cause


def announcements(fakes: FakeActivities) -> list[Any]:  # Any: an order of any kind
    told = [order for order in fakes.orders if type(order).__name__ == "AnnounceApproval"]
    return [order.decision.decided if order.decision else "asked" for order in told]


async def test_an_approved_close_is_retried_under_its_own_op_id(
    temporal_env: WorkflowEnvironment,
) -> None:
    fakes = FakeActivities(close_session=[a_denied_close(), a_close()])

    async with book_worker(temporal_env, fakes) as book:
        handle = await asked(book, fakes)
        waiting = await handle.query(BookSession.progress)
        found = (await handle.describe()).typed_search_attributes
        await decide(handle, reason="it may")
        result = await handle.result()

    assert (result.outcome, result.push) == ("closed", "pushed")
    denied, approved = (order for order in fakes.orders if type(order).__name__ == "CloseSession")
    assert approved.effect == denied.effect
    assert (denied.approval, approved.approval.by, approved.approval.reason) == (None, "ada", "it may")
    assert announcements(fakes) == ["asked", "approved"]
    assert waiting.stage == "approval"
    assert "penwright intent approve" in waiting.detail
    assert "approval" in [pair.value for pair in found]


async def test_a_denied_close_fails_under_the_gates_code_and_its_prose_is_kept(
    temporal_env: WorkflowEnvironment,
) -> None:
    fakes = FakeActivities(close_session=a_denied_close())

    async with book_worker(temporal_env, fakes) as book:
        handle = await asked(book, fakes)
        await decide(handle, decided="denied", reason="not Soul")
        failure = await failure_of(handle)

    assert failure.type == "scope-violation"
    assert "ada denied it: not Soul" in failure.message
    assert announcements(fakes) == ["asked", "denied"]
    assert fakes.asked[-3:] == ["release_book", "push_book", "end_session"]
    (release,) = (order for order in fakes.orders if type(order).__name__ == "ReleaseBook")
    assert release.prose is not None


async def test_an_unanswered_approval_expires_and_denies_the_close(
    time_skipping_env: WorkflowEnvironment,
) -> None:
    fakes = FakeActivities(close_session=a_denied_close())

    async with book_worker(time_skipping_env, fakes) as book:
        failure = await failure_of(await book.start())

    assert failure.type == "scope-violation"
    assert "it was not approved in time" in failure.message
    assert announcements(fakes) == ["asked", "expired"]
    asked, expired = (order for order in fakes.orders if type(order).__name__ == "AnnounceApproval")
    assert WAIT <= expired.effect.issued_at - asked.effect.issued_at < WAIT + timedelta(minutes=1)


async def test_a_kill_during_approval_stops_the_session_and_keeps_the_prose(
    temporal_env: WorkflowEnvironment,
) -> None:
    fakes = FakeActivities(close_session=a_denied_close())

    async with book_worker(temporal_env, fakes) as book:
        handle = await asked(book, fakes)
        await handle.signal(BookSession.kill, KillRequest(who="bo", reason="wrong book"))
        result = await handle.result()

    assert (result.outcome, result.stopped_by, result.message) == ("stopped", "bo", "wrong book")
    assert fakes.asked.count("close_session") == 1
    (release,) = (order for order in fakes.orders if type(order).__name__ == "ReleaseBook")
    assert release.prose is not None


async def test_cancelling_in_the_temporal_ui_is_a_no(temporal_env: WorkflowEnvironment) -> None:
    fakes = FakeActivities(close_session=a_denied_close())

    async with book_worker(temporal_env, fakes) as book:
        handle = await asked(book, fakes)
        while (await handle.query(BookSession.state)).announced != "asked":
            pass
        await handle.cancel()
        result = await handle.result()

    assert (result.outcome, result.stopped_by) == ("stopped", "temporal")
    assert "release_book" in fakes.asked


async def test_a_hanging_notification_does_not_delay_a_decision(
    temporal_env: WorkflowEnvironment,
) -> None:
    fakes = FakeActivities(close_session=[a_denied_close(), a_close()], announce_approval=["hang", None])

    async with book_worker(temporal_env, fakes) as book:
        handle = await asked(book, fakes)
        await decide(handle)
        result = await handle.result()
        fakes.let_go.set()

    assert result.outcome == "closed"
    assert announcements(fakes) == ["asked", "approved"]


async def test_another_plan_than_the_approved_one_is_asked_for_again(
    temporal_env: WorkflowEnvironment,
) -> None:
    again = a_denied_close(plan_digest=OTHER)
    fakes = FakeActivities(close_session=[a_denied_close(), again, a_close()])

    async with book_worker(temporal_env, fakes) as book:
        handle = await asked(book, fakes)
        first = await answer(handle)
        await handle.execute_update(BookSession.decide_approval, first)
        while announcements(fakes) != ["asked", "approved", "asked"]:
            fakes.reached["announce_approval"].clear()
            await fakes.reached["announce_approval"].wait()
        with pytest.raises(WorkflowUpdateFailedError) as spent:
            await handle.execute_update(BookSession.decide_approval, first)
        await decide(handle, by="bo")
        result = await handle.result()

    assert isinstance(spent.value.cause, ApplicationError)
    assert spent.value.cause.type == "already-decided"
    assert result.outcome == "closed"
    assert fakes.orders[-3].approval.by == "bo"
    assert fakes.orders[-3].approval.plan_digest == OTHER


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"approval": "AP-1"}, "unknown-approval"),
        ({"plan_digest": OTHER}, "other-plan"),
        ({"by": ""}, "approver-unknown"),
    ],
)
async def test_an_answer_to_something_else_leaves_no_trace(
    temporal_env: WorkflowEnvironment, changes: dict[str, str], code: str
) -> None:
    fakes = FakeActivities(close_session=[a_denied_close(), a_close()])

    async with book_worker(temporal_env, fakes) as book:
        handle = await asked(book, fakes)
        with pytest.raises(WorkflowUpdateFailedError) as refused:
            await decide(handle, **changes)
        waiting = await handle.query(BookSession.state)
        await decide(handle)
        await handle.result()

    assert isinstance(refused.value.cause, ApplicationError)
    assert refused.value.cause.type == code
    assert waiting.decision is None


async def test_a_decision_without_a_request_is_refused(temporal_env: WorkflowEnvironment) -> None:
    fakes = FakeActivities(call_model="hang")
    early = ApprovalDecision(approval="AP-1", plan_digest=OTHER, decided="approved", by="ada")

    async with book_worker(temporal_env, fakes) as book:
        handle = await book.start()
        await fakes.reached["call_model"].wait()
        with pytest.raises(WorkflowUpdateFailedError) as refused:
            await handle.execute_update(BookSession.decide_approval, early)
        fakes.let_go.set()
        await handle.result()

    assert isinstance(refused.value.cause, ApplicationError)
    assert refused.value.cause.type == "nothing-to-approve"


async def test_an_outside_close_returns_after_the_decision(
    temporal_env: WorkflowEnvironment,
) -> None:
    fakes = FakeActivities(close_session=[a_denied_close(), a_close()])

    async with book_worker(temporal_env, fakes) as book:
        handle = await book.open("agent-1")
        delivered = await handle.start_update(BookSession.close, DELIVERY, wait_for_stage=_ACCEPTED)
        await fakes.reached["announce_approval"].wait()
        await decide(handle)
        closed = await delivered.result()
        await handle.result()

    assert closed.asks is None
    assert closed.report.push == "pushed"
