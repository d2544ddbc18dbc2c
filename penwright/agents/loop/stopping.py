"""End a run whose cap is spent or whose time is over."""

from datetime import datetime

from penwright.agents.loop import budgeting
from penwright.agents.loop.run import Run
from penwright.domain import control
from schemas.agent_run import EndReason
from schemas.base import Cause


def interruption_cause(run: Run) -> Cause | None:
    """Return why running work is to be interrupted and no further call started; None to go on."""
    state = run.state
    if (kill := state.control.stop) is not None:
        return Cause(code="run-cancelled", message=f"{kill.who} stopped the run: {kill.reason}")
    if state.winding is not None:
        return Cause(code=state.winding.code, message=f"the run is about to end: {state.winding.message}")
    if state.ending is not None:
        return Cause(code=state.ending.code, message=f"the run has ended: {state.ending.message}")
    return None


def apply_limits(run: Run, now: datetime) -> Run:
    """Apply deadline and caps between turns: the next turn is a normal one, the last one, or none."""
    state = run.state
    if state.open_calls or state.pins is None or is_over(run):
        return run
    run = apply_deadline(run, now)
    reserved = budgeting.reserve_for_last_turn(run.limits, state.last_turn)
    budget_level, cap = budgeting.budget_level(run.limits, state.spent, reserved)
    if cap is None or is_over(run):
        return run
    cause = budgeting.cap_cause(cap, run.limits)
    why = run.state.winding or EndReason(outcome="budget", code=cause.code, message=cause.message)
    return run.with_end_reason(why) if budget_level == "spent" else run.with_state(winding=why)


def apply_deadline(run: Run, now: datetime) -> Run:
    """Past the turn deadline only the last turn is left; past the deadline the run ends."""
    turn_deadline = budgeting.turn_deadline(run.limits, winding=run.state.winding is not None)
    if turn_deadline is None or now < turn_deadline:
        return run
    if run.state.winding is not None:
        return run.with_end_reason(run.state.winding)
    at = run.limits.deadline
    why = EndReason(
        outcome="deadline", code="deadline", message=f"the run was given until {at:%Y-%m-%d %H:%M} UTC"
    )
    return run.with_state(winding=why).steered(control.resumed)


def is_over(run: Run) -> bool:
    """Whether the run only has to be recorded; of an outside harness no last words are asked for."""
    state = run.state
    has_run_out = run.given.outside and state.winding is not None
    return has_run_out or state.ending is not None or state.control.stop is not None
