"""The folds that every pipeline shares: steps, cost, pause, kill, time limit, failure, ending.

Each takes a pipeline's state and returns the next one. Messages from people only go through these; what they
mean for the book, run or eval is read from ``control`` by that pipeline's ``next_step``.
"""

from datetime import datetime, timedelta
from typing import Any, TypeVar

from schemas.base import Cause, Effect, OpId, Progress
from schemas.control import KillRequest, PipelineState, StepFailure

State = TypeVar("State", bound=PipelineState)

LEAST_PUT_OFF = timedelta(seconds=1)
"""Less is not waited for: each time a run is given asks Temporal once."""


def effect(prefix: str, state: PipelineState, now: datetime) -> Effect:
    """Return the identity of the next step: its position in the run, never what it is about."""
    return Effect(op_id=OpId(f"{prefix}{state.control.effects}"), issued_at=now)


# Any: values of any field of the state.
def after_step(state: State, **changes: Any) -> State:
    """Count a step, taken or interrupted: its position in op ids is not used again."""
    return _with_control(state, effects=state.control.effects + 1).model_copy(update=changes)


def started(state: State, now: datetime, deadline: datetime | None) -> State:
    """Record that the first step was answered, and when what follows must have ended."""
    return _with_control(state, started_at=now, deadline=deadline)


def limited(state: State, deadline: datetime | None) -> State:
    """Set when the present wait must end, though an earlier deadline has passed; None: without limit."""
    if deadline is None:
        return _with_control(state, deadline=None)
    return _with_control(state, deadline=deadline, timed_out=False)


def spent(state: State, cost_micros: int, unknown_prices: int = 0) -> State:
    """Add what model calls have cost."""
    return _with_control(
        state,
        cost_micros=state.control.cost_micros + cost_micros,
        unknown_prices=state.control.unknown_prices + unknown_prices,
    )


def paused(state: State) -> State:
    """A person asks the pipeline to wait after the step in hand; the clock stops as well.

    What must end is not held up: a killed pipeline still has to release what it holds.
    """
    return state if must_end(state) else _with_control(state, paused=True, pause_reason="")


def capped(state: State, reason: str) -> State:
    """The pipeline pauses itself, because a person must lift a limit first; the clock goes on."""
    return state if must_end(state) else _with_control(state, paused=True, pause_reason=reason)


def resumed(state: State) -> State:
    """Go on after a pause of either kind."""
    return _with_control(state, paused=False, pause_reason="")


def stopped(state: State, request: KillRequest) -> State:
    """A kill: the first request counts, and a pause holds it up no longer."""
    return _with_control(state, stop=state.control.stop or request, paused=False)


def put_off(state: State, waited: timedelta) -> State:
    """The deadline passed; what the run has ``waited`` in queues until now is not its time."""
    further = waited - queued(state)
    if further < LEAST_PUT_OFF:
        return timed_out(state)
    deadline = state.control.deadline
    return _with_control(has_waited(state, waited), deadline=deadline + further if deadline else None)


def has_waited(state: State, waited: timedelta) -> State:
    """The run has ``waited`` in queues until now; who keeps its deadline puts that off."""
    return _with_control(state, queued_s=waited.total_seconds())


def queued(state: PipelineState) -> timedelta:
    """By how much its time was lengthened for waiting in queues."""
    return timedelta(seconds=state.control.queued_s)


def timed_out(state: State) -> State:
    """The deadline passed; a pause at a cap ends with it."""
    return _with_control(state, timed_out=True, deadline=None, paused=False)


def failed(state: State, step: str, cause: Cause) -> State:
    """A step failed for good, and with it the pipeline; the first failure counts, and a pause ends."""
    failure = StepFailure(step=step, **dict(cause))
    return _with_control(state, failure=state.control.failure or failure, paused=False)


def ended(state: State) -> State:
    """The last step is taken."""
    return _with_control(state, ended=True)


def must_end(state: PipelineState) -> bool:
    """Whether nothing new is to be begun: killed, out of time, or failed."""
    control = state.control
    return control.stop is not None or control.timed_out or control.failure is not None


def time_left(state: PipelineState, now: datetime) -> timedelta | None:
    """Time that the present wait may last; None while no limit runs.

    A person's pause stops the clock. The pipeline's own pause at a cap does not: what it holds must not stay
    locked because a budget ran out.
    """
    deadline = None if is_held_by_a_person(state) else state.control.deadline
    return None if deadline is None else max(deadline - now, timedelta())


def is_held_by_a_person(state: PipelineState) -> bool:
    """Whether a person paused it, so that its time limit does not run."""
    return state.control.paused and not state.control.pause_reason


def progress(
    state: PipelineState,
    *,
    pipeline: str,
    subject: str,
    stage: str,
    detail: str,
    words: int = 0,
    outcome: str = "",
    code: str = "",
) -> Progress:
    """Return the status of a pipeline, for people; ``outcome`` and ``code`` count once it has ended.

    What a person killed is shown as killed, whatever the pipeline.
    """
    control = state.control
    return Progress(
        pipeline=pipeline,
        subject=subject,
        stage=stage,
        detail=detail,
        words=words,
        cost_micros=control.cost_micros,
        unknown_prices=control.unknown_prices,
        paused=control.paused,
        ended=control.ended,
        outcome=shown_outcome(outcome, code) if control.ended else "",
        code=code if control.ended else "",
    )


# Any: the types of a result's fields.
def end_fields(state: PipelineState, *, well: str = "completed") -> dict[str, Any]:
    """Return the fields of a run's result that tell its end: outcome, code, message and stopped_by.

    Args:
        well: the outcome of a run that neither failed nor was stopped.
    """
    failure, stop = state.control.failure, state.control.stop
    return {
        "outcome": "failed" if failure else "stopped" if stop else well,
        "code": failure.code if failure else "killed" if stop else "",
        "message": failure.message if failure else stop.reason if stop else "",
        "stopped_by": stop.who if stop else "",
    }


def shown_outcome(outcome: str, code: str) -> str:
    """An outcome as lists show it: ``killed`` if a person killed it, apart from other ways of stopping."""
    return "killed" if (outcome, code) == ("stopped", "killed") else outcome


def pause_detail(state: PipelineState) -> str:
    """One sentence on why it is paused."""
    return f"Paused: {state.control.pause_reason or 'by a person'}"


# Any: values of any field of the control.
def _with_control(state: State, **changes: Any) -> State:
    return state.model_copy(update={"control": state.control.model_copy(update=changes)})
