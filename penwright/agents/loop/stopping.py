"""When a run must come to its end: a cap is spent, or its time is over."""

from datetime import datetime

from penwright.agents.loop import budgeting
from penwright.agents.loop.run import Run
from schemas.agent_run import Ending
from schemas.base import Cause


def why_cut(run: Run) -> Cause | None:
    """Why what is under way is interrupted and nothing more of this turn is begun; None: go on."""
    state = run.state
    if state.stopped:
        return Cause(code="run-cancelled", message=f"{state.stop_who} stopped the run: {state.stop_reason}")
    if state.winding is not None:
        return Cause(code=state.winding.code, message=f"the run is about to end: {state.winding.message}")
    if state.ending is not None:
        return Cause(code=state.ending.code, message=f"the run has ended: {state.ending.message}")
    return None


def settled(run: Run, now: datetime) -> Run:
    """The run once it is clear which turn may follow, if any."""
    state = run.state
    if state.open_calls or state.pins is None or is_over(run):
        return run
    run = by_the_clock(run, now)
    reserved = budgeting.reserve_for_last_turn(run.limits, state.last_turn)
    fullness, cap = budgeting.fullness(run.limits, state.spent, reserved)
    if cap is None or is_over(run):
        return run
    cause = budgeting.explain(cap, run.limits)
    why = run.state.winding or Ending(outcome="budget", code=cause.code, message=cause.message)
    return run.ending(why) if fullness == "spent" else run.but(winding=why)


def by_the_clock(run: Run, now: datetime) -> Run:
    """The deadline leaves time for a last turn; when that is over as well, the run ends."""
    alarm = budgeting.alarm(run.limits, winding=run.state.winding is not None)
    if alarm is None or now < alarm:
        return run
    if run.state.winding is not None:
        return run.ending(run.state.winding)
    at = run.limits.deadline
    why = Ending(
        outcome="deadline", code="deadline", message=f"the run was given until {at:%Y-%m-%d %H:%M} UTC"
    )
    return run.but(winding=why, paused=False)


def is_over(run: Run) -> bool:
    return run.state.ending is not None or run.state.stopped
