"""Whom a running session answers, and what goes back to an agent instead of ending its session."""

from datetime import timedelta

import pytest

from penwright.domain.book import outside_session as outside
from penwright.domain.book import session as rules
from schemas.base import Cause
from schemas.book_session import AdvanceChapter, BookSessionState, CloseSession, DeliverProse, SessionProse
from schemas.intents import IntentPin
from tests.support.sessions import EFFECT, NOON, PROSE, a_need, an_opening, given, state

PIN = IntentPin(intent_id="INT-001", digest="sha256:then")
HANDED = given(writer="outside", who="claude-code 2.1", must_select=True)
NO = Cause(code="empty-prose", message="there is nothing in it")


def opened() -> BookSessionState:
    return rules.opened(state(), an_opening(pin=PIN), NOON)


def delivered() -> BookSessionState:
    return rules.delivered(rules.selected(opened(), PIN), DeliverProse(written=SessionProse(prose=PROSE)))


def step_after(stands: BookSessionState) -> rules.Step:
    step = rules.next_step(HANDED, stands, EFFECT)
    assert step is not None
    return step


def test_nothing_may_be_changed_before_an_intent_is_selected() -> None:
    before = outside.refusal(HANDED, opened(), "s", waits=True, writes=True)
    looking = outside.refusal(HANDED, opened(), "s", waits=True, writes=False)
    after = outside.refusal(HANDED, rules.selected(opened(), PIN), "s", waits=True, writes=True)

    assert before is not None
    assert before[0] == "intent-not-selected"
    assert (looking, after) == (None, None)


def test_a_caller_from_before_the_handshake_needs_none() -> None:
    assert outside.refusal(given(writer="outside"), opened(), "", waits=True, writes=True) is None


@pytest.mark.parametrize(
    ("holder", "stands", "session", "code"),
    [
        (given(), opened(), "", "no-active-session"),
        (HANDED, rules.ended(opened()), "s", "no-active-session"),
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
    before = rules.selected(opened(), PIN)
    step = step_after(delivered())

    after = rules.denied(delivered(), step, NO)

    assert isinstance(step, CloseSession)
    assert outside.may_mend(HANDED, delivered(), step, NO)
    assert after.model_copy(update={"effects": before.effects, "denials": 0, "denial": None}) == before
    assert isinstance(step_after(after), rules.AwaitAgent)
    assert (after.denials, after.denial) == (1, NO)


def test_a_denied_advance_is_the_one_outcome_of_that_call() -> None:
    asked = rules.advance_asked(rules.selected(opened(), PIN))
    step = step_after(asked)

    after = rules.denied(asked, step, NO)

    assert isinstance(step, AdvanceChapter)
    assert [each.denial for each in after.advances] == [NO]
    assert (after.advance_asked, after.denials) == (False, 0)


def test_only_a_rules_no_goes_back_to_the_agent() -> None:
    close = step_after(delivered())
    worn_out = NO.model_copy(update={"final": False})

    assert not outside.may_mend(HANDED, delivered(), close, worn_out)
    assert not outside.may_mend(given(writer="outside"), delivered(), close, NO)
    assert not outside.may_mend(HANDED, rules.asked(delivered(), EFFECT, a_need(), NOON), close, NO)


def test_a_reworded_intent_is_reselected_but_a_wider_scope_needs_approval() -> None:
    reworded = a_need(codes=("INTENT_CHANGED",))

    assert outside.may_mend_itself(HANDED, delivered(), reworded)
    assert not outside.may_mend_itself(given(writer="outside"), delivered(), reworded)
    assert not outside.may_mend_itself(
        HANDED, delivered(), a_need(codes=("INTENT_CHANGED", "SCOPE_VIOLATION"))
    )
    told = outside.cause_of(reworded)
    assert (told.code, told.details["error_type"]) == ("intent-changed", "INTENT_CHANGED")
    assert told.details["action_hint"]


def test_only_the_holder_of_a_session_gets_its_details() -> None:
    soon = NOON + timedelta(minutes=50)

    own = outside.standing(HANDED, rules.selected(opened(), PIN), "s", soon)
    other = outside.standing(HANDED, rules.selected(opened(), PIN), "guess", soon)

    assert (own.yours, own.intent, own.has_selected, own.minutes_left) == (True, "INT-001", True, 10)
    assert (other.yours, other.intent, other.words_wanted) == (False, "", 0)
    assert other.who == "claude-code 2.1"
    assert "claude-code 2.1" in other.progress.detail
