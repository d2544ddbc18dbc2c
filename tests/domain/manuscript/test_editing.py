"""The control flow of editing, played without a server: nothing that was taken is dropped."""

from datetime import UTC, datetime, timedelta

import pytest

from penwright.domain import control
from penwright.domain.manuscript import editing
from schemas.base import BlobRef, Cause, CommitSha, Effect, OpId
from schemas.control import KillRequest
from schemas.editing import (
    EditingInput,
    EditingState,
    OperationsOrder,
    RestoreOrder,
    SaveOrder,
    SelectOrder,
)
from schemas.intents import IntentPin, Selected
from schemas.manuscript_text import ApplyOperations, PushNovel, RestoreText, SaveText, TextSaved
from schemas.workspace import Pushed, Workspace
from tests.support.each import for_each

NOW = datetime(2026, 3, 1, 8, tzinfo=UTC)
GIVEN = EditingInput(novel_id="tides", scene="-", workspace=Workspace(path="/n"), session="s1", idle_s=60)
SAVE = SaveOrder(base="aaaa", text=BlobRef(sha256="t", size=1), who="ada")
KILL = KillRequest(who="ada", reason="enough")
SAVED = TextSaved(outcome="saved", revision="bbbb", words=3, commit=CommitSha("c1"))
UNCHANGED = TextSaved(outcome="unchanged", revision="bbbb", words=3)


def step(state: EditingState) -> editing.Step | None:
    effect = Effect(op_id=OpId(f"editing/tides/-#s1:{state.control.effects}"), issued_at=NOW)
    return editing.next_step(GIVEN, state, effect)


def test_orders_are_taken_oldest_first_with_op_ids_of_their_own() -> None:
    state = editing.queued(editing.queued(EditingState(), SAVE), RestoreOrder(kind="undo", who="ben"))

    first = step(state)
    state = editing.answered(state, SAVED)
    second = step(state)

    assert isinstance(first, SaveText)
    assert (first.base, first.who, first.subject, first.scene) == ("aaaa", "ada", "tides", "-")
    assert isinstance(second, RestoreText)
    assert (second.kind, second.who) == ("undo", "ben")
    assert first.effect.op_id != second.effect.op_id


def test_without_an_order_it_waits_and_at_the_end_of_the_time_it_pushes_what_was_committed() -> None:
    state = editing.answered(editing.queued(EditingState(), SAVE), SAVED)
    assert isinstance(step(state), editing.AwaitOrder)
    waiting = editing.waiting(GIVEN, state, NOW)
    assert waiting.control.deadline == NOW + timedelta(seconds=60)

    idle = control.timed_out(waiting)

    assert isinstance(step(idle), PushNovel)
    pushed = editing.pushed(idle, Pushed(outcome="pushed"))
    assert isinstance(step(pushed), editing.EndEditing)
    ended = editing.ended(pushed)
    assert step(ended) is None
    assert editing.result(GIVEN, ended).model_dump(include={"outcome", "served", "push"}) == {
        "outcome": "idle",
        "served": 1,
        "push": "pushed",
    }


def test_nothing_is_pushed_when_nothing_was_committed() -> None:
    state = editing.answered(editing.queued(EditingState(), SAVE), UNCHANGED)

    assert isinstance(step(control.timed_out(state)), editing.EndEditing)


def test_what_was_taken_before_a_kill_is_carried_out() -> None:
    state = control.stopped(editing.queued(EditingState(), SAVE), KILL)

    assert isinstance(step(state), SaveText)
    assert isinstance(step(editing.answered(state, SAVED)), PushNovel)
    assert editing.refusal(GIVEN, state) is not None


def test_an_order_that_fails_is_counted_and_the_next_one_is_taken() -> None:
    state = editing.queued(editing.queued(EditingState(), SAVE), SAVE)
    failed = editing.failed(GIVEN, state, editing.AwaitOrder(), Cause(code="x", message="y"))

    assert (failed.served, len(failed.waiting)) == (1, 1)
    assert isinstance(step(failed), SaveText)


def test_a_push_that_fails_stays_pending() -> None:
    state = control.timed_out(editing.answered(editing.queued(EditingState(), SAVE), SAVED))
    push = step(state)
    assert isinstance(push, PushNovel)

    late = editing.failed(GIVEN, state, push, Cause(code="remote-unreachable", message="silent"))

    assert editing.result(GIVEN, late).push == "pending"
    assert isinstance(step(late), editing.EndEditing)


@pytest.mark.parametrize(
    ("given", "state", "code"),
    [
        (GIVEN, control.ended(EditingState()), "editing-ended"),
        (GIVEN, control.timed_out(EditingState()), "editing-ended"),
        (GIVEN.model_copy(update={"scene": "../x"}), EditingState(), "bad-scene-name"),
        (GIVEN, EditingState(waiting=(SAVE,) * 100), "editing-busy"),
    ],
)
def test_an_order_is_refused_by_name(given: EditingInput, state: EditingState, code: str) -> None:
    refusal = editing.refusal(given, state)

    assert refusal is not None
    assert refusal[0] == code


def test_its_status_says_how_much_was_done_and_where_it_is() -> None:
    state = editing.answered(editing.queued(EditingState(), SAVE), SAVED)
    stages = [
        editing.progress(GIVEN, each).stage
        for each in (state, control.paused(state), control.timed_out(state), control.ended(state))
    ]

    assert stages == ["edit", "paused", "push", "ended"]
    assert editing.progress(GIVEN, state).detail == "Editing '-' of tides: 1 done"
    assert editing.progress(GIVEN, control.ended(control.stopped(state, KILL))).outcome == "killed"


def selected(state: EditingState, session: str, intent: str = "INT-001") -> EditingState:
    """After an agent selected an intent."""
    order = SelectOrder(intent=intent, session=session, opener="codex#1")
    answer = Selected(pin=IntentPin(intent_id=intent, digest=f"sha256:{intent}"), context="<intent_context/>")
    return editing.answered(editing.queued(state, order), answer)


def operations(session: str, opener: str = "codex#1", pin: IntentPin | None = None) -> OperationsOrder:
    text = BlobRef(sha256="t", size=1)
    return OperationsOrder(session=session, opener=opener, snapshot=text, operations=text, pin=pin)


def test_an_agents_operations_are_bound_to_the_intent_that_it_selected_and_to_no_other() -> None:
    state = selected(EditingState(), "a")
    forged = operations("a", pin=IntentPin(intent_id="INT-002", digest="sha256:forged"))

    taken = step(editing.queued(state, forged))

    assert isinstance(taken, ApplyOperations)
    assert taken.pin == IntentPin(intent_id="INT-001", digest="sha256:INT-001")


@for_each(
    "order, code",
    [
        (operations(""), "intent-not-selected"),
        (operations("b"), "intent-not-selected"),
        (operations("a", opener="claude#2"), "other-session"),
        (SelectOrder(intent="INT-001", session="a", opener="claude#2"), "other-session"),
        (operations("a"), ""),
        (SelectOrder(intent="INT-002", session="a", opener="codex#1"), ""),
        (SelectOrder(intent="INT-001", session="b", opener="claude#2"), ""),
    ],
)
def test_only_the_agent_that_opened_a_session_may_use_it(
    order: SelectOrder | OperationsOrder, code: str
) -> None:
    denial = editing.denial(selected(EditingState(), "a"), order)

    assert (denial[0] if denial else "") == code


def test_a_session_has_the_intent_that_was_selected_last_and_the_oldest_of_many_go() -> None:
    state = selected(selected(EditingState(), "s0"), "s1")
    state = selected(state, "s0", "INT-002")
    for number in range(2, 51):
        state = selected(state, f"s{number}")

    assert editing.denial(state, operations("s1")) is not None
    assert editing.denial(state, operations("s0")) is None
    taken = step(editing.queued(state, operations("s0")))
    assert isinstance(taken, ApplyOperations)
    assert taken.pin is not None
    assert taken.pin.intent_id == "INT-002"
