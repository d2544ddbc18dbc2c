"""Which callers a running session answers, and which failures return to the agent."""

from datetime import timedelta

import pytest

from penwright.domain import approvals, control
from penwright.domain import outside_agent as outside
from penwright.domain.book import session as rules
from penwright.domain.book import session_status as status
from penwright.domain.book import transitions
from schemas.base import Cause, CommitSha
from schemas.book_session import (
    AdvanceChapter,
    AdvanceRequest,
    BookSessionState,
    Closed,
    CloseSession,
    Released,
)
from schemas.control import KillRequest
from schemas.intents import IntentPin
from schemas.outside_session import DeliverProse, OpenRequest, SessionProse
from tests.support.books.sessions import (
    EFFECT,
    NOON,
    PROSE,
    a_close,
    a_move,
    a_need,
    a_push,
    an_opening,
    given,
    state,
)

PIN = IntentPin(intent_id="INT-001", digest="sha256:then")
HANDED = given(writer="outside", who="claude-code 2.1", must_select=True)
NO = Cause(code="empty-prose", message="there is nothing in it")


def opened() -> BookSessionState:
    return transitions.opened(state(), an_opening(pin=PIN), NOON)


def delivered() -> BookSessionState:
    return transitions.delivered(
        outside.selected(opened(), PIN), DeliverProse(written=SessionProse(prose=PROSE))
    )


def step_after(stands: BookSessionState) -> rules.Step:
    step = rules.next_step(HANDED, stands, EFFECT)
    assert step is not None
    return step


def test_changes_are_refused_before_an_intent_is_selected() -> None:
    before = outside.refusal(HANDED, opened(), "s", waits=True, writes=True)
    looking = outside.refusal(HANDED, opened(), "s", waits=True, writes=False)
    after = outside.refusal(HANDED, outside.selected(opened(), PIN), "s", waits=True, writes=True)

    assert before is not None
    assert before[0] == "intent-not-selected"
    assert (looking, after) == (None, None)


def test_a_caller_without_handshake_needs_no_selected_intent() -> None:
    assert outside.refusal(given(writer="outside"), opened(), "", waits=True, writes=True) is None


@pytest.mark.parametrize(
    ("holder", "stands", "session", "code"),
    [
        (given(), opened(), "", "no-active-session"),
        (HANDED, transitions.ended(opened()), "s", "no-active-session"),
        (HANDED, opened(), "another", "other-session"),
        (HANDED, delivered(), "s", "no-active-session"),
    ],
)
def test_a_session_answers_only_its_holder_and_only_while_it_waits(
    holder: object, stands: BookSessionState, session: str, code: str
) -> None:
    refused = outside.refusal(holder, stands, session, waits=True, writes=True)  # type: ignore[arg-type]

    assert refused is not None
    assert refused[0] == code


def test_denied_prose_changes_only_the_sessions_place_in_its_run() -> None:
    before = outside.selected(opened(), PIN)
    step = step_after(delivered())

    after = transitions.failed(HANDED, delivered(), step, NO)

    assert isinstance(step, CloseSession)
    assert outside.may_mend(HANDED, NO)
    assert after.model_copy(update={"control": before.control, "denials": 0, "denial": None}) == before
    assert after.control.deadline == before.control.deadline
    assert isinstance(step_after(after), outside.AwaitAgent)
    assert (after.denials, after.denial) == (1, NO)


def test_a_denied_advance_is_the_one_outcome_of_that_call() -> None:
    asked = transitions.message_taken(outside.selected(opened(), PIN), AdvanceRequest())
    step = step_after(asked)

    after = transitions.failed(HANDED, asked, step, NO)

    assert isinstance(step, AdvanceChapter)
    assert [each.denial for each in after.advances] == [NO]
    assert (after.advance_asked, after.denials) == (False, 0)


def test_only_a_rule_denial_is_returned_to_the_agent() -> None:
    close = step_after(delivered())
    worn_out = NO.model_copy(update={"final": False})

    asked = approvals.asked(delivered(), EFFECT, a_need(), NOON, end=None)

    assert transitions.failed(HANDED, delivered(), close, worn_out).control.failure is not None
    assert transitions.failed(given(writer="outside"), delivered(), close, NO).control.failure is not None
    assert transitions.failed(HANDED, asked, close, NO).control.failure is not None
    assert transitions.failed(HANDED, delivered(), close, NO).control.failure is None


def test_a_reworded_intent_is_reselected_but_a_wider_scope_needs_approval() -> None:
    reworded = a_need(codes=("INTENT_CHANGED",))

    assert outside.may_mend_itself(HANDED, reworded)
    assert not outside.may_mend_itself(given(writer="outside"), reworded)
    assert not outside.may_mend_itself(HANDED, a_need(codes=("INTENT_CHANGED", "SCOPE_VIOLATION")))
    told = outside.cause_of(reworded)
    assert (told.code, told.details["error_type"]) == ("intent-changed", "INTENT_CHANGED")
    assert told.details["action_hint"]


def test_only_the_holder_of_a_session_gets_its_details() -> None:
    soon = NOON + timedelta(minutes=50)

    stands = outside.selected(opened(), PIN)
    progress = status.progress(HANDED, stands)
    own = outside.view(HANDED, stands, progress, "s", soon)
    other = outside.view(HANDED, stands, progress, "guess", soon)

    assert (own.yours, own.intent, own.has_selected, own.minutes_left) == (True, "INT-001", True, 10)
    assert (other.yours, other.intent, other.words_wanted) == (False, "", 0)
    assert other.who == "claude-code 2.1"
    assert "claude-code 2.1" in other.progress.detail


def test_an_opening_is_answered_to_its_caller_and_to_others() -> None:
    given_ = HANDED.model_copy(update={"opener": "cc#1"})
    own, other = OpenRequest(opener="cc#1"), OpenRequest(opener="cc#2")

    assert rules.answer_to_open(given_, state(), own) is None
    killed = rules.answer_to_open(given_, transitions.ended(state()), own)
    answers = [rules.answer_to_open(given_, opened(), request) for request in (own, other)]

    assert killed is not None
    assert (killed.verdict, killed.code) == ("refused", "killed")
    assert [each.verdict for each in answers if each] == ["open", "already-running"]


def test_a_close_is_answered_after_its_push_or_by_its_denial() -> None:
    step = step_after(delivered())
    assert isinstance(step, CloseSession)
    shut = transitions.closed(HANDED, delivered(), step, a_close(), NOON)

    assert rules.answer_to_close(HANDED, shut, 0) is None
    closed = rules.answer_to_close(HANDED, transitions.pushed(shut, a_push()), 0)
    denied = rules.answer_to_close(HANDED, transitions.failed(HANDED, delivered(), step, NO), 0)

    assert isinstance(closed, Closed)
    assert (closed.report.push, closed.report.repeated) == ("pushed", False)
    assert denied == NO


def test_a_call_after_the_answer_is_told_that_it_is_repeated() -> None:
    step = step_after(delivered())
    assert isinstance(step, CloseSession)
    shut = transitions.pushed(transitions.closed(HANDED, delivered(), step, a_close(), NOON), a_push())

    first, again = (rules.answer_to_close(HANDED, shut, 0, repeated=each) for each in (False, True))

    assert isinstance(first, Closed)
    assert isinstance(again, Closed)
    assert again.report == first.report.model_copy(update={"repeated": True})


def test_advances_are_numbered_by_attempts_and_waiting_requests() -> None:
    tried = transitions.advanced(opened(), a_move())
    under_way = transitions.message_taken(tried, AdvanceRequest())

    assert rules.advances_before(tried, ()) == 1
    assert (
        rules.advances_before(under_way, [AdvanceRequest(), DeliverProse(written=SessionProse(prose=PROSE))])
        == 3
    )
    assert rules.answer_to_advance(HANDED, tried, 0) == a_move()
    assert rules.answer_to_advance(HANDED, tried, 1) is None


@pytest.mark.parametrize(
    ("stands", "said", "hint"),
    [
        (opened(), "nothing was put into it", "`penwright book open"),
        (
            transitions.released(
                delivered(), Released(commit=CommitSha("c" * 40), recovered="Review/recovered-s.md")
            ),
            "the prose lies in Review/recovered-s.md",
            "Review/current.md",
        ),
    ],
)
def test_a_call_that_a_kill_cut_short_is_told_who_why_and_what_now(
    stands: BookSessionState, said: str, hint: str
) -> None:
    killed = control.stopped(stands, KillRequest(who="ada", reason="wrong chapter"))

    told = rules.ending(HANDED, killed)

    assert (told.code, told.family) == ("killed", "refused")
    assert told.message.startswith("ada ended the session")
    assert "wrong chapter" in told.message
    assert said in told.message
    assert hint in told.details["hint"]
