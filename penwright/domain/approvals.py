"""Asking a person inside a pipeline: what is asked, until when, and what the answer means."""

from datetime import datetime, timedelta
from typing import Final, TypeVar

from penwright.domain import control
from penwright.errors import Refused
from schemas.base import BlobRef, Cause, Effect
from schemas.control import ApprovableState, KillRequest
from schemas.intents import Approval, ApprovalDecision, ApprovalNeed, ApprovalRequest

WAIT: Final = timedelta(minutes=30)
"""Time a person has to answer, unless the pipeline's own time ends before."""
LEAST: Final = timedelta(minutes=5)
"""Time they get even if it does; prose that came late may be asked about as well."""
NO_APPROVER: Final = "nobody"

State = TypeVar("State", bound=ApprovableState)


# No dataclass: the sandbox of the tests imports this module for every run, and that class took half the time.
class AwaitDecision:
    """The step in which a person approves or denies, or lets the time run out."""


def asked(
    state: State,
    effect: Effect,
    need: ApprovalNeed,
    now: datetime,
    *,
    end: datetime | None,
    prose: BlobRef | None = None,
) -> State:
    """Ask a person to approve the change of ``effect``; a killed pipeline does not ask.

    Args:
        end: when the pipeline's own time is over.
        prose: the text that the change would publish, for the person to read.
    """
    past = (*state.past_approvals, *([state.asked.id] if state.asked else []))
    request = ApprovalRequest(
        id=_free_id(need, past), need=need, effect=effect, expires_at=_expiry(end, now), prose=prose
    )
    changes = {"asked": request, "decision": None, "announced": "", "past_approvals": past}
    asking = control.limited(control.after_step(state, **changes), request.expires_at)
    return answered(asking)


def announced(state: State, decision: ApprovalDecision | None) -> State:
    """People have been notified of the request, or of its decision if there was one to tell."""
    return control.after_step(state, announced="asked" if decision is None else "decided")


def decided(state: State, decision: ApprovalDecision) -> State:
    """Record the answer. A denial fails the pipeline under the denial's code, unless it was killed."""
    state = control.limited(state.model_copy(update={"decision": decision}), None)
    if decision.decided == "approved" or state.control.stop is not None:
        return state
    return control.failed(state, "approval", _denial(state, decision))


def answered(state: State) -> State:
    """Decide in place of a person who did not in time, or whose pipeline was killed meanwhile."""
    request, stop = state.asked, state.control.stop
    if request is None or state.decision is not None:
        return state
    if stop is not None:
        return decided(state, _refused(request, stop))
    return decided(state, _expired(request)) if state.control.timed_out else state


def is_waiting(state: ApprovableState) -> bool:
    """Whether a person is asked and has not decided."""
    return state.asked is not None and state.decision is None


def is_denied(state: ApprovableState) -> bool:
    """Whether the change may not be tried again."""
    return state.decision is not None and state.decision.decided != "approved"


def granted(state: ApprovableState) -> Approval | None:
    """The approval under which the change is tried again."""
    request, decision = state.asked, state.decision
    if request is None or decision is None or decision.decided != "approved":
        return None
    return Approval(
        id=request.id,
        plan_digest=request.need.plan_digest,
        codes=request.need.codes,
        by=decision.by,
        reason=decision.reason,
    )


def unanswerable(state: ApprovableState, decision: ApprovalDecision, now: datetime) -> tuple[str, str] | None:
    """Code and message of why a decision cannot be taken; None if it can."""
    request, name = state.asked, repr(decision.approval)
    if decision.approval in state.past_approvals or (
        request is not None and request.id == decision.approval and _is_settled(state)
    ):
        return (
            "already-decided",
            f"approval {name} is decided already; `penwright intent pending BOOK` shows what is open",
        )
    if request is None or _is_settled(state):
        return "nothing-to-approve", "this session waits for no approval; nothing was changed"
    if request.id != decision.approval:
        return "unknown-approval", f"no approval {name} is asked for; {request.id!r} is"
    if request.need.plan_digest != decision.plan_digest:
        return (
            "other-plan",
            f"approval {name} is for another plan; look again with `penwright intent pending BOOK`",
        )
    if now >= request.expires_at or decision.decided == "expired":
        return "approval-expired", f"approval {name} has expired; the session keeps the prose and ends"
    if not decision.by.strip():
        return "approver-unknown", "the approver's name is missing; nothing was changed"
    return None


def waiting_detail(subject: str, request: ApprovalRequest, *, denied: str) -> str:
    """One sentence for people on what waits, until when, and the commands that decide.

    Args:
        denied: what a denial does, such as ``ends the run``.
    """
    return (
        f"Waiting for approval until {request.expires_at:%H:%M} UTC: {summary_of(request)}. "
        f"`penwright intent approve {subject}` publishes it, "
        f"`penwright intent deny {subject}` {denied}"
    )


def notice_text(subject: str, request: ApprovalRequest) -> str:
    """Text of the notification that a change waits for approval."""
    return (
        f"{summary_of(request)} ({', '.join(request.need.codes)}). Approve it with "
        f"`penwright intent approve {subject}` or deny it with `penwright intent deny {subject}` before "
        f"{request.expires_at:%Y-%m-%d %H:%M} UTC."
    )


def summary_of(request: ApprovalRequest) -> str:
    """Join the gate's reasons in one line."""
    return "; ".join(request.need.reasons)


def _is_settled(state: ApprovableState) -> bool:
    """Whether it is decided, or a kill is about to decide it."""
    return state.decision is not None or state.control.stop is not None


def _refused(request: ApprovalRequest, kill: KillRequest) -> ApprovalDecision:
    """A kill while a person is asked is a denial."""
    return ApprovalDecision(
        approval=request.id,
        plan_digest=request.need.plan_digest,
        decided="denied",
        by=kill.who,
        reason=kill.reason,
    )


def _expired(request: ApprovalRequest) -> ApprovalDecision:
    """Decision for a request without an answer: its text must not stay locked because a person went away."""
    return ApprovalDecision(
        approval=request.id,
        plan_digest=request.need.plan_digest,
        decided="expired",
        by=NO_APPROVER,
        reason="no answer in time",
    )


def _denial(state: ApprovableState, decision: ApprovalDecision) -> Cause:
    assert state.asked is not None, "a decision is about a request"
    why = f": {decision.reason}" if decision.reason else ""
    who = "it was not approved in time" if decision.decided == "expired" else f"{decision.by} denied it{why}"
    need = state.asked.need
    code = need.codes[0].lower().replace("_", "-") if need.codes else "approval-mismatch"
    message = f"{summary_of(state.asked)}; {who}; {need.hint}"
    return Cause(code=code, message=message, family=Refused.family)


def _free_id(need: ApprovalNeed, past: tuple[str, ...]) -> str:
    """Named for its plan; asking for the same plan again is another request."""
    name = f"AP-{need.plan_digest.removeprefix('sha256:')[:8]}"
    number, wanted = 1, name
    while wanted in past:
        number += 1
        wanted = f"{name}-{number}"
    return wanted


def _expiry(end: datetime | None, now: datetime) -> datetime:
    """Others take a lock for stale once the pipeline's time is over, so waiting ends about then."""
    return now + WAIT if end is None else min(now + WAIT, max(end, now + LEAST))
