"""Asking a person inside a session: what is asked, until when, and what the answer means."""

from datetime import datetime, timedelta
from typing import Final

from penwright.errors import Refused
from schemas.base import Effect
from schemas.book_session import BookSessionState, SessionFailure, StopOrder
from schemas.intents import Approval, ApprovalDecision, ApprovalNeed, ApprovalRequest

WAIT: Final = timedelta(minutes=30)
"""How long a person may take, unless the session's own time ends before."""
LEAST: Final = timedelta(minutes=5)
"""What they get even if it does; prose that came late may be asked about as well."""
NOBODY: Final = "nobody"


def asked(state: BookSessionState, effect: Effect, need: ApprovalNeed, now: datetime) -> dict[str, object]:
    """What changes when a close needs a yes; a session that was killed meanwhile asks nobody."""
    past = (*state.past_approvals, *([state.asked.id] if state.asked else []))
    request = ApprovalRequest(
        id=_free_id(need, past),
        need=need,
        effect=effect,
        expires_at=_expiry(state, now),
        prose=state.written.prose if state.written else None,
    )
    decision = _no(request, state.stop) if state.stop else None
    return {"asked": request, "decision": decision, "announced": "", "past_approvals": past}


def decided(state: BookSessionState, decision: ApprovalDecision) -> BookSessionState:
    """The answer. A no fails the session under the denial's code, unless somebody stopped the session."""
    changes: dict[str, object] = {"decision": decision}
    if decision.decided != "approved" and state.stop is None:
        changes["failure"] = _failure(state, decision)
    return state.model_copy(update=changes)


def expired(state: BookSessionState) -> BookSessionState:
    """Nobody answered in time; a book must not stay locked because a person went away."""
    assert state.asked is not None, "only what was asked expires"
    decision = ApprovalDecision(
        approval=state.asked.id,
        plan_digest=state.asked.need.plan_digest,
        decided="expired",
        by=NOBODY,
        reason="nobody answered in time",
    )
    return decided(state.model_copy(update={"paused": False}), decision)


def stopped(state: BookSessionState, order: StopOrder) -> BookSessionState:
    """A kill while a person is asked is their no."""
    if state.asked is None or state.decision is not None:
        return state
    return decided(state, _no(state.asked, order))


def is_waiting(state: BookSessionState) -> bool:
    """Whether a person has the word."""
    return state.asked is not None and state.decision is None


def is_denied(state: BookSessionState) -> bool:
    """Whether the close may not be tried again."""
    return state.decision is not None and state.decision.decided != "approved"


def granted(state: BookSessionState) -> Approval | None:
    """The yes under which the close is tried again."""
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


def unanswerable(
    state: BookSessionState, decision: ApprovalDecision, now: datetime
) -> tuple[str, str] | None:
    """Code and message of why a decision cannot be taken; None if it can."""
    request, name = state.asked, repr(decision.approval)
    if decision.approval in state.past_approvals or (
        request is not None and request.id == decision.approval and state.decision is not None
    ):
        return "already-decided", f"approval {name} is decided already; `penwright intent pending` asks anew"
    if request is None or state.decision is not None:
        return "nothing-to-approve", "this session waits for no approval; nothing was changed"
    if request.id != decision.approval:
        return "unknown-approval", f"no approval {name} is asked for; {request.id!r} is"
    if request.need.plan_digest != decision.plan_digest:
        return (
            "other-plan",
            f"approval {name} is for another plan; look again with `penwright intent pending`",
        )
    if now >= request.expires_at or decision.decided == "expired":
        return "approval-expired", f"approval {name} has expired; the session keeps the prose and ends"
    if not decision.by.strip():
        return "approver-unknown", "nobody is named who decides; nothing was changed"
    return None


def summary_of(request: ApprovalRequest) -> str:
    """What the gate said, in one line."""
    return "; ".join(request.need.reasons)


def _no(request: ApprovalRequest, order: StopOrder) -> ApprovalDecision:
    return ApprovalDecision(
        approval=request.id,
        plan_digest=request.need.plan_digest,
        decided="denied",
        by=order.who,
        reason=order.reason,
    )


def _failure(state: BookSessionState, decision: ApprovalDecision) -> SessionFailure:
    assert state.asked is not None, "a decision is about what was asked"
    why = f": {decision.reason}" if decision.reason else ""
    who = "nobody approved it in time" if decision.decided == "expired" else f"{decision.by} denied it{why}"
    need = state.asked.need
    code = need.codes[0].lower().replace("_", "-") if need.codes else "approval-mismatch"
    message = f"{summary_of(state.asked)}; {who}; {need.hint}"
    return SessionFailure(step="approval", code=code, message=message, family=Refused.family)


def _free_id(need: ApprovalNeed, past: tuple[str, ...]) -> str:
    """Named for its plan; asking for the same plan again is another request."""
    name = f"AP-{need.plan_digest.removeprefix('sha256:')[:8]}"
    number, wanted = 1, name
    while wanted in past:
        number += 1
        wanted = f"{name}-{number}"
    return wanted


def _expiry(state: BookSessionState, now: datetime) -> datetime:
    """The book's lock is stale to others once the session's time is over, so waiting ends about then."""
    if state.opened is None or state.opened_on is None:
        return now + WAIT
    end = state.opened_on + timedelta(minutes=state.opened.timeout_minutes)
    return min(now + WAIT, max(end, now + LEAST))
