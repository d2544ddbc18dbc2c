"""A close that needs approval: the request, its time limit, and the effect of each answer."""

from datetime import timedelta

import pytest

from penwright.domain import approvals, control
from penwright.domain.approvals import LEAST, WAIT, unanswerable
from penwright.domain.book import session as rules
from penwright.domain.book import session_status as status
from penwright.domain.book import transitions
from schemas.base import Cause, Effect, OpId
from schemas.book_session import AnnounceApproval, BookSessionState, CloseSession, ReleaseBook
from schemas.control import KillRequest
from schemas.intents import ApprovalDecision, ApprovalNeed
from tests.support.books.sessions import (
    EFFECT,
    NOON,
    PROSE,
    a_close,
    a_need,
    an_opening,
    given,
    some_prose,
    state,
)

NEED = a_need()
CLOSE = EFFECT.model_copy(update={"op_id": OpId("book/b#s:2")})
LATER = Effect(op_id=OpId("book/b#s:9"), issued_at=NOON + timedelta(minutes=9))


def written(minutes: int = 10) -> BookSessionState:
    """A session whose prose came after some minutes of its hour."""
    return transitions.written(
        transitions.opened(state(), an_opening(), NOON - timedelta(minutes=minutes)), some_prose()
    )


def asking(need: ApprovalNeed = NEED, **options: int) -> BookSessionState:
    """Requested, and people notified."""
    return announced(ask(written(**options), need))


def ask(before: BookSessionState, need: ApprovalNeed) -> BookSessionState:
    """The gate denied the close, and a person may approve it."""
    step = rules.next_step(given(), before, CLOSE)
    assert isinstance(step, CloseSession)
    return transitions.closed(given(), before, step, a_close().model_copy(update={"asks": need}), NOON)


def answer(to: BookSessionState, **changes: object) -> ApprovalDecision:
    assert to.asked is not None
    decision = ApprovalDecision(
        approval=to.asked.id, plan_digest=to.asked.need.plan_digest, decided="approved", by="ada"
    )
    return decision.model_copy(update=changes)


def announced(waiting: BookSessionState) -> BookSessionState:
    step = rules.next_step(given(), waiting, LATER)
    assert isinstance(step, AnnounceApproval)
    return approvals.announced(waiting, step.decision)


def test_people_are_notified_before_the_wait_begins() -> None:
    asked = ask(written(), NEED)

    first = rules.next_step(given(), asked, LATER)
    then = rules.next_step(given(), announced(asked), LATER)

    assert isinstance(first, AnnounceApproval)
    assert first.decision is None
    assert isinstance(then, approvals.AwaitDecision)
    assert status.stage(asked) == "approval"
    assert "`penwright intent approve b`" in status.describe(given(), asked)
    assert "does not own 'Soul.md'" in status.describe(given(), asked)


def test_a_yes_closes_under_the_identity_that_was_denied() -> None:
    waiting = asking()
    yes = announced(approvals.decided(waiting, answer(waiting, reason="it may")))

    step = rules.next_step(given(), yes, LATER)

    assert isinstance(step, CloseSession)
    assert step.effect == CLOSE
    assert step.approval is not None
    assert (step.approval.by, step.approval.codes) == ("ada", ("SCOPE_VIOLATION",))
    assert step.approval.plan_digest == NEED.plan_digest
    shut = transitions.closed(given(), yes, step, a_close(), NOON)
    assert status.stage(shut) == "push"


@pytest.mark.parametrize("decided", ["denied", "expired"])
def test_a_denial_releases_the_book_with_its_prose_and_fails_by_its_code(decided: str) -> None:
    waiting = asking()
    if decided == "expired":
        no = announced(approvals.answered(control.timed_out(waiting)))
    else:
        no = announced(approvals.decided(waiting, answer(waiting, decided="denied", reason="not Soul")))

    step = rules.next_step(given(), no, LATER)
    ending = status.result(given(), no)

    assert isinstance(step, ReleaseBook)
    assert step.prose == PROSE
    assert (ending.outcome, ending.code) == ("failed", "scope-violation")
    assert "'INT-001' does not own 'Soul.md'" in ending.message
    said = "ada denied it: not Soul" if decided == "denied" else "it was not approved in time"
    assert said in ending.message


def test_a_kill_denies_the_request_and_keeps_the_prose() -> None:
    killed = announced(
        approvals.answered(control.stopped(asking(), KillRequest(who="bo", reason="wrong book")))
    )

    step = rules.next_step(given(), killed, LATER)
    ending = status.result(given(), killed)

    assert isinstance(step, ReleaseBook)
    assert step.prose == PROSE
    assert killed.decision is not None
    assert (killed.decision.decided, killed.decision.by) == ("denied", "bo")
    assert (ending.outcome, ending.message, ending.stopped_by) == ("stopped", "wrong book", "bo")


def test_a_session_killed_before_its_request_asks_for_nothing() -> None:
    killed = control.stopped(written(), KillRequest(who="bo", reason="wrong book"))

    asked = ask(killed, NEED)

    assert isinstance(rules.next_step(given(), announced(asked), LATER), ReleaseBook)


def test_a_kill_after_the_yes_ends_after_the_commit() -> None:
    waiting = asking()
    yes = approvals.decided(waiting, answer(waiting))

    killed = announced(control.stopped(yes, KillRequest(reason="enough")))

    assert isinstance(rules.next_step(given(), killed, LATER), CloseSession)


def test_another_plan_needs_a_new_approval() -> None:
    first = asking()
    yes = announced(approvals.decided(first, answer(first)))
    other = NEED.model_copy(update={"plan_digest": f"sha256:{'d' * 64}"})

    second = ask(yes, other)

    assert isinstance(rules.next_step(given(), second, LATER), AnnounceApproval)
    assert isinstance(rules.next_step(given(), announced(second), LATER), approvals.AwaitDecision)
    refused = unanswerable(second, answer(first), NOON)
    assert refused is not None
    assert refused[0] == "already-decided"
    assert first.asked is not None
    assert second.asked is not None
    assert first.asked.id != second.asked.id


def test_the_same_plan_again_is_a_new_request() -> None:
    first = asking()

    again = ask(announced(approvals.decided(first, answer(first))), NEED)

    assert again.asked is not None
    assert again.asked.id == "AP-cccccccc-2"


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"approval": "AP-1"}, "unknown-approval"),
        ({"plan_digest": "sha256:0"}, "other-plan"),
        ({"decided": "expired"}, "approval-expired"),
        ({"by": " "}, "approver-unknown"),
    ],
)
def test_an_answer_to_something_else_is_not_taken(changes: dict[str, str], code: str) -> None:
    waiting = asking()

    refused = unanswerable(waiting, answer(waiting, **changes), NOON)

    assert refused is not None
    assert refused[0] == code


def test_an_answer_is_taken_once_and_in_time() -> None:
    waiting = asking()
    yes = answer(waiting)

    assert unanswerable(waiting, yes, NOON) is None
    assert unanswerable(waiting, yes, NOON + WAIT) is not None
    assert unanswerable(approvals.decided(waiting, yes), yes, NOON) is not None
    assert unanswerable(written(), yes, NOON) is not None


@pytest.mark.parametrize(
    ("minutes", "wait"),
    [(0, WAIT), (45, timedelta(minutes=15)), (59, LEAST), (600, LEAST)],
)
def test_an_approval_waits_half_an_hour_or_until_the_session_deadline(minutes: int, wait: timedelta) -> None:
    waiting = asking(minutes=minutes)

    assert control.time_left(waiting, NOON) == wait
    assert control.time_left(waiting, NOON + WAIT) == timedelta()


def test_prose_that_came_after_the_sessions_time_is_asked_about_as_well() -> None:
    opened = transitions.opened(state(), an_opening(), NOON - timedelta(minutes=60))
    late = transitions.written(control.timed_out(opened), some_prose())

    waiting = announced(ask(late, NEED))

    assert waiting.decision is None
    assert not control.must_end(waiting)
    assert control.time_left(waiting, NOON) == LEAST
    assert isinstance(rules.next_step(given(), waiting, LATER), approvals.AwaitDecision)


def test_telling_people_may_fail_and_they_are_still_waited_for() -> None:
    asked = ask(written(), NEED)
    step = rules.next_step(given(), asked, LATER)
    assert step is not None

    untold = transitions.failed(
        given(), asked, step, Cause(code="notify-failed", message="no channel", final=False)
    )

    assert isinstance(rules.next_step(given(), untold, LATER), approvals.AwaitDecision)
    assert untold.control.failure is None


def test_a_decision_after_a_kill_is_refused() -> None:
    waiting = asking()

    refused = unanswerable(control.stopped(waiting, KillRequest(reason="enough")), answer(waiting), NOON)

    assert refused is not None
    assert refused[0] == "already-decided"


def test_an_approval_that_expires_during_notification_is_not_waited_for() -> None:
    late = control.timed_out(ask(written(), NEED))

    waiting = announced(late)
    step = rules.next_step(given(), waiting, LATER)
    decided = approvals.answered(waiting)

    assert isinstance(step, approvals.AwaitDecision)
    assert control.must_end(waiting)
    assert decided.decision is not None
    assert decided.decision.decided == "expired"
