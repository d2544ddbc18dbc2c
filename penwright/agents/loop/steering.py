"""Apply decisions and timeouts to a run; they take effect at its next step."""

from datetime import datetime, timedelta

from penwright.agents.loop import budgeting
from penwright.agents.loop.run import Run
from penwright.agents.loop.stopping import apply_deadline, is_over
from penwright.domain import control
from schemas.agent_run import CallDecision
from schemas.base import Cause


def decided(run: Run, decision: CallDecision) -> Run:
    return run.with_state(decision=run.state.decision or decision)


def unanswerable(run: Run, decision: CallDecision, now: datetime) -> Cause | None:
    """Cause for which a decision cannot be accepted; None if it can."""
    approval = run.state.approval
    if approval is None or approval.id != decision.approval:
        message = "no such call waits for approval; ask the run for its state to see which does"
        return Cause(code="no-such-approval", message=message)
    if decision.digest != approval.digest:
        return Cause(code="approval-mismatch", message="the call is another than was shown; look at it again")
    if run.state.decision is not None:
        message = f"{run.state.decision.by} has {run.state.decision.decided} this call already"
        return Cause(code="already-decided", message=message)
    if now >= approval.expires_at:
        return Cause(code="approval-expired", message="the time to decide is over; the call was not made")
    return None


def timed_out(run: Run, now: datetime) -> Run:
    """Apply the deadline after the timer of ``time_left`` has fired."""
    return run if is_over(run) or run.state.pins is None else apply_deadline(run, now)


def is_due(run: Run, now: datetime) -> bool:
    """Whether the time of the turn is over, and the run not yet."""
    deadline = budgeting.turn_deadline(run.limits, winding=run.state.winding is not None)
    return not is_over(run) and run.state.pins is not None and deadline is not None and now >= deadline


def put_off(run: Run, waited: timedelta) -> Run | None:
    """The run with a later deadline, for it ``waited`` in queues until now; None if that is nothing new."""
    if waited - control.queued(run.state) < control.LEAST_PUT_OFF:
        return None
    return run.steered(lambda state: control.has_waited(state, waited))


def time_left(run: Run, now: datetime) -> timedelta | None:
    """Time until the turn deadline or an approval's expiry; None without one, or while paused by a person."""
    state = run.state
    if is_over(run) or control.is_held_by_a_person(state):
        return None
    turn_deadline = budgeting.turn_deadline(run.limits, winding=state.winding is not None)
    expiry = state.approval.expires_at if state.approval else None
    times = [time for time in (turn_deadline, expiry) if time is not None]
    return max(min(times) - now, timedelta()) if times else None
