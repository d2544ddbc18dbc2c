"""The folds that every pipeline shares."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from penwright.domain import control
from schemas.base import Cause
from schemas.control import KillRequest, PipelineState

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
KILL = KillRequest(who="ada", reason="enough")
NEW = PipelineState()
DUE = control.started(NEW, NOON, NOON + timedelta(hours=1))


def test_an_op_id_is_the_position_of_a_step_in_the_run() -> None:
    first = control.effect("book/b#s:", NEW, NOON)
    second = control.effect("book/b#s:", control.after_step(NEW), NOON)

    assert (first.op_id, second.op_id, second.issued_at) == ("book/b#s:0", "book/b#s:1", NOON)


def test_the_first_kill_and_the_first_failure_count() -> None:
    killed = control.stopped(control.stopped(NEW, KILL), KillRequest(who="bo", reason="me too"))
    cause = Cause(code="model-auth", message="check the key", details={"hint": "`penwright models`"})
    failed = control.failed(control.failed(NEW, "write", cause), "push", Cause(code="x", message="y"))

    assert killed.control.stop == KILL
    assert failed.control.failure is not None
    assert (failed.control.failure.step, failed.control.failure.details) == ("write", cause.details)


def test_what_a_person_killed_is_shown_as_killed_and_other_stops_as_stopped() -> None:
    ended = control.ended(control.stopped(NEW, KILL))

    def shown(outcome: str, code: str) -> str:
        of_run = control.progress(
            ended, pipeline="p", subject="s", stage="ended", detail="", outcome=outcome, code=code
        )
        return of_run.outcome

    assert shown("stopped", "killed") == "killed"
    assert shown("stopped", "time-spent") == "stopped"
    assert shown("failed", "killed") == "failed"


def test_whatever_ends_a_pipeline_ends_its_pause() -> None:
    assert not control.stopped(control.paused(NEW), KILL).control.paused
    assert not control.timed_out(control.capped(NEW, "spent")).control.paused
    assert not control.failed(control.paused(NEW), "write", Cause(code="x", message="y")).control.paused


def test_a_killed_run_cannot_be_paused() -> None:
    killed = control.stopped(NEW, KILL)

    assert control.paused(killed) == killed
    assert control.capped(killed, "spent") == killed


def test_a_persons_pause_stops_the_clock_and_a_cap_does_not() -> None:
    at = NOON + timedelta(minutes=40)

    assert control.time_left(NEW, at) is None
    assert control.time_left(DUE, at) == timedelta(minutes=20)
    assert control.time_left(DUE, NOON + timedelta(hours=2)) == timedelta()
    assert control.time_left(control.paused(DUE), at) is None
    assert control.time_left(control.capped(DUE, "spent"), at) == timedelta(minutes=20)
    assert control.time_left(control.resumed(control.paused(DUE)), at) == timedelta(minutes=20)
    assert control.time_left(control.timed_out(DUE), at) is None


def test_time_in_queues_puts_a_deadline_off_once() -> None:
    half = timedelta(minutes=30)
    later = control.put_off(DUE, half)

    assert control.time_left(later, NOON + timedelta(hours=1)) == half
    assert control.put_off(later, half + timedelta(milliseconds=100)).control.timed_out
    assert control.time_left(control.put_off(later, 2 * half), NOON + timedelta(hours=1)) == 2 * half
    assert control.put_off(DUE, timedelta()).control.timed_out


def test_a_pipeline_must_end_once_it_is_killed_late_or_failed() -> None:
    failed = control.failed(NEW, "open", Cause(code="x", message="y"))

    assert not control.must_end(control.paused(DUE))
    assert all(map(control.must_end, (control.stopped(NEW, KILL), control.timed_out(DUE), failed)))


@given(st.lists(st.sampled_from(["pause", "resume", "cap", "kill", "late", "step"])))
def test_no_message_takes_back_a_kill_or_a_step(messages: list[str]) -> None:
    folds = {
        "pause": control.paused,
        "resume": control.resumed,
        "cap": lambda state: control.capped(state, "spent"),
        "kill": lambda state: control.stopped(state, KILL),
        "late": control.timed_out,
        "step": control.after_step,
    }
    state = DUE
    for message in messages:
        state = folds[message](state)

    assert state.control.effects == messages.count("step")
    assert (state.control.stop is not None, state.control.timed_out) == (
        "kill" in messages,
        "late" in messages,
    )


def test_progress_takes_cost_pause_and_end_from_the_control() -> None:
    state = control.ended(control.spent(control.paused(NEW), 500, 1))

    told = control.progress(state, pipeline="p", subject="s", stage="ended", detail="Done")

    assert (told.cost_micros, told.paused, told.ended) == (500, True, True)
    assert control.pause_detail(state) == "Paused: by a person"
