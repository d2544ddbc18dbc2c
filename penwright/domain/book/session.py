"""The control flow of a book session: which step is next, and what its outcome changes.

Steps, in the order ``next_step`` looks for them: open, (advance), write, close, push, (complete). A close
that the gate denies may be asked for: it is announced, a person decides, and it is tried again. A session
that cannot go on releases the book instead of closing it; every session ends by saying how.
"""

from datetime import datetime, timedelta
from typing import Literal, TypedDict

from penwright.domain import session_approval as approvals
from schemas.base import BlobRef, BookId, Cause, CommitSha, Effect, Progress
from schemas.book import AdvanceReport, ClosedReport
from schemas.book_session import (
    AdvanceChapter,
    Advanced,
    AnnounceApproval,
    BookSessionInput,
    BookSessionResult,
    BookSessionState,
    Closed,
    CloseSession,
    CompleteBook,
    Completed,
    DeliverProse,
    EndSession,
    Opened,
    OpenSession,
    PushBook,
    ReleaseBook,
    Released,
    SessionFailure,
    StopOrder,
    WriteProse,
    Written,
)
from schemas.intents import ApprovalDecision, ApprovalNeed, IntentPin
from schemas.workspace import Pushed, Workspace

Outcome = Literal["completed", "closed", "stopped", "refused", "failed"]

_REFUSALS = {
    "already-running": "another session holds this book; wait for it, or look with `penwright book doctor`",
    "sealed": "the book is complete; `penwright book rollback` reopens it",
}


# No dataclass: the sandbox makes this module anew for every run, and that class took half the time.
class AwaitAgent:
    """An outside agent has the word: it delivers prose, asks to advance, or lets the time run out."""


class AwaitDecision:
    """A person has the word: they allow the close or not, or let the time run out."""


Step = (
    OpenSession
    | AdvanceChapter
    | WriteProse
    | AwaitAgent
    | CloseSession
    | AnnounceApproval
    | AwaitDecision
    | PushBook
    | CompleteBook
    | ReleaseBook
    | EndSession
)


def next_step(given: BookSessionInput, state: BookSessionState, effect: Effect) -> Step | None:
    """The first step whose outcome is missing, or None when the session has ended."""
    if state.ended:
        return None
    opened = state.opened
    if opened is None:
        return _end(given, state, effect) if state.stop else _open(given, effect)
    if opened.verdict == "open" and state.closed is None and state.released is None:
        return _step_while_held(given, state, opened, effect)
    if opened.verdict == "refused" and state.failure is not None and state.released is None:
        # Nobody knows how far the opening came; a lock that nobody holds must not stay.
        return ReleaseBook(**_order(given, effect), reason=state.failure.message)
    if state.pushed is None and _left_commits(state):
        return PushBook(**_order(given, effect))
    if _may_complete(given, state):
        return CompleteBook(**_order(given, effect))
    return _end(given, state, effect)


def _step_while_held(
    given: BookSessionInput, state: BookSessionState, opened: Opened, effect: Effect
) -> Step:
    """The book is ours and nothing is committed yet: what must happen before it is given back."""
    if (asking := _step_while_asked(given, state, effect)) is not None:
        return asking
    if must_release(state):
        kept = state.written.prose if state.written else None
        return ReleaseBook(
            **_order(given, effect),
            reason=_release_reason(state),
            code=state.failure.code if state.failure else "",
            message=state.failure.message if state.failure else "",
            intent=opened.pin.intent_id if opened.pin else "",
            prose=kept,
        )
    if state.advance_asked or _should_advance(given, state, opened):
        return AdvanceChapter(**_order(given, effect), payload=_payload(state, opened))
    if state.written is None:
        return AwaitAgent() if given.writer == "outside" else _write(given, state, opened, effect)
    if state.asked is not None:
        # The same identity, for under another the plan would be another; what was published is found by it.
        effect = state.asked.effect
    return _close(given, state, state.written, opened, effect)


def _step_while_asked(
    given: BookSessionInput, state: BookSessionState, effect: Effect
) -> AnnounceApproval | AwaitDecision | None:
    """What people are to be told of an approval, then their answer; None when nobody is to be asked."""
    if state.asked is None:
        return None
    if state.announced != ("asked" if state.decision is None else "decided"):
        return AnnounceApproval(**_order(given, effect), request=state.asked, decision=state.decision)
    return AwaitDecision() if state.decision is None else None


def must_release(state: BookSessionState) -> bool:
    """A kill or a timeout gives the book back unless prose has arrived; then the close is the commit edge.

    A close that a person would have to allow, and does not, is none.
    """
    if state.failure is not None or approvals.is_denied(state):
        return True
    return state.written is None and (state.stop is not None or state.timed_out)


def _release_reason(state: BookSessionState) -> str:
    if state.failure is not None:
        return state.failure.message
    if state.stop is not None:
        return state.stop.reason
    return "the session timed out"


def _should_advance(given: BookSessionInput, state: BookSessionState, opened: Opened) -> bool:
    """The built-in writer moves on once, as soon as the chapter is nearly full."""
    return (
        given.writer == "built-in"
        and opened.chapter_close_suggested
        and not opened.rework_only
        and not state.advances
        and state.written is None
    )


def _left_commits(state: BookSessionState) -> bool:
    opened, released = state.opened, state.released
    if released is not None and released.commit is not None:
        return True
    return opened is not None and opened.verdict in ("open", "killed", "sealed")


def _may_complete(given: BookSessionInput, state: BookSessionState) -> bool:
    """Only the built-in writer completes inside its session; an outside agent calls ``complete`` itself."""
    return (
        given.writer == "built-in"
        and state.completed is None
        and state.failure is None
        and state.stop is None
        and state.closed is not None
        and state.closed.report.completion_ready
        and state.written is not None
        and state.written.arcs_closed
    )


class _Order(TypedDict):
    """What every order to the workspace carries."""

    effect: Effect
    book_id: BookId
    workspace: Workspace
    session: str


def _order(given: BookSessionInput, effect: Effect) -> _Order:
    return _Order(effect=effect, book_id=given.book_id, workspace=given.workspace, session=given.session)


def _open(given: BookSessionInput, effect: Effect) -> OpenSession:
    return OpenSession(**_order(given, effect), writer=given.writer, who=given.who, intent=given.intent)


def _write(given: BookSessionInput, state: BookSessionState, opened: Opened, effect: Effect) -> WriteProse:
    payload = _payload(state, opened)
    assert payload is not None, "an open verdict carries a payload"
    return WriteProse(effect=effect, book_id=given.book_id, session=given.session, payload=payload)


def advancing(given: BookSessionInput, state: BookSessionState, effect: Effect) -> AdvanceChapter:
    """The order by which the writer itself moves on."""
    assert state.opened is not None, "a writer works for a book that is open"
    return AdvanceChapter(**_order(given, effect), payload=_payload(state, state.opened))


def _payload(state: BookSessionState, opened: Opened) -> BlobRef | None:
    """The payload as the last move to another chapter left it."""
    return next((a.payload for a in reversed(state.advances) if a.payload), opened.payload)


def _close(
    given: BookSessionInput, state: BookSessionState, written: Written, opened: Opened, effect: Effect
) -> CloseSession:
    assert opened.tip is not None, "an open verdict carries its commit"
    return CloseSession(
        **_order(given, effect),
        prose=written.prose,
        summary=written.summary,
        human_edits=written.human_edits,
        opened_at=opened.tip,
        snapshot_tag=opened.snapshot_tag,
        model=written.model,
        who=written.who,
        pin=opened.pin,
        approval=approvals.granted(state),
        may_ask=True,
    )


def _end(given: BookSessionInput, state: BookSessionState, effect: Effect) -> EndSession:
    return EndSession(effect=effect, result=result(given, state), schedule_id=given.schedule_id)


# Folds: what an outcome changes. Each returns the new state.


def opened(state: BookSessionState, outcome: Opened, at: datetime) -> BookSessionState:
    return _after_step(state, opened=outcome, opened_on=at)


def advanced(state: BookSessionState, outcome: Advanced) -> BookSessionState:
    return _after_step(state, advances=(*state.advances, outcome), advance_asked=False)


def written(state: BookSessionState, outcome: Written) -> BookSessionState:
    return _after_step(
        state,
        written=outcome,
        cost_micros=state.cost_micros + outcome.cost_micros,
        unknown_prices=state.unknown_prices + outcome.unknown_prices,
    )


def delivered(state: BookSessionState, delivery: DeliverProse) -> BookSessionState:
    """Prose of an outside agent counts as written."""
    prose = Written(
        prose=delivery.prose,
        words=0,
        summary=delivery.summary,
        arcs_closed=delivery.arcs_closed,
        human_edits=delivery.human_edits,
        who=delivery.who,
    )
    return _after_step(state, written=prose)


def advance_asked(state: BookSessionState) -> BookSessionState:
    return _after_step(state, advance_asked=True)


def closed(state: BookSessionState, outcome: Closed) -> BookSessionState:
    return _after_step(state, closed=outcome, pushed=None)


def asked(state: BookSessionState, effect: Effect, need: ApprovalNeed, now: datetime) -> BookSessionState:
    """The close of ``effect`` needs a person's yes."""
    return _after_step(state, **approvals.asked(state, effect, need, now))


def selected(state: BookSessionState, pin: IntentPin) -> BookSessionState:
    """The agent works for another intent, or for the same as it is worded now."""
    assert state.opened is not None, "a book that is not open is written under no intent"
    opened_ = state.opened.model_copy(update={"pin": pin})
    return state.model_copy(update={"opened": opened_, "has_selected": True})


def denied(state: BookSessionState, step: Step, cause: Cause) -> BookSessionState:
    """A rule said no to an outside agent, which may mend it: the session is as it was before the call."""
    if isinstance(step, AdvanceChapter):
        no = Advanced(report=AdvanceReport(status="error", message=cause.message), denial=cause)
        return _after_step(state, advances=(*state.advances, no), advance_asked=False, denial=cause)
    return _after_step(state, written=None, denials=state.denials + 1, denial=cause)


def announced(state: BookSessionState, step: AnnounceApproval) -> BookSessionState:
    return _after_step(state, announced="asked" if step.decision is None else "decided")


def decided(state: BookSessionState, decision: ApprovalDecision) -> BookSessionState:
    """A person's answer; it takes no step of its own, like every message."""
    return approvals.decided(state, decision)


def released(state: BookSessionState, outcome: Released) -> BookSessionState:
    return _after_step(state, released=outcome, pushed=None)


def completed(state: BookSessionState, outcome: Completed) -> BookSessionState:
    again = None if outcome.commit else state.pushed
    return _after_step(state, completed=outcome, pushed=again)


def pushed(state: BookSessionState, outcome: Pushed) -> BookSessionState:
    return _after_step(state, pushed=outcome)


def ended(state: BookSessionState) -> BookSessionState:
    return _after_step(state, ended=True)


def failed(state: BookSessionState, step: Step, cause: Cause) -> BookSessionState:
    """A step failed for good. What that means depends on how far the session had come."""
    match step:
        case OpenSession():
            shut = Opened(verdict="refused", code=cause.code, message=cause.message)
            unsure = None if cause.final else _failure(state, cause)
            return _after_step(state, opened=shut, failure=unsure)
        case PushBook():
            pending = Pushed(outcome="pending", code=cause.code, reason=cause.message)
            return _after_step(state, pushed=pending)
        case ReleaseBook():
            return _after_step(state, released=Released(), failure=state.failure or _failure(state, cause))
        case EndSession():
            return _after_step(state, ended=True)
        case AnnounceApproval():
            return announced(state, step)
        case _:
            return _after_step(state, failure=_failure(state, cause), advance_asked=False)


def _failure(state: BookSessionState, cause: Cause) -> SessionFailure:
    return SessionFailure(step=stage(state), code=cause.code, message=cause.message, family=cause.family)


def abandoned(state: BookSessionState) -> BookSessionState:
    """A step was interrupted and left nothing; its place in the run is not used again."""
    return _after_step(state)


def stopped(state: BookSessionState, order: StopOrder) -> BookSessionState:
    """The first order to stop counts; a stopped session is no longer paused."""
    ordered = state.model_copy(update={"stop": state.stop or order, "paused": False})
    return approvals.stopped(ordered, order)


def paused(state: BookSessionState) -> BookSessionState:
    return state.model_copy(update={"paused": True, "pause_reason": ""})


def capped(state: BookSessionState, reason: str) -> BookSessionState:
    """A cap is spent, which a person lifts with a setting; the session waits instead of ending."""
    return state.model_copy(update={"paused": True, "pause_reason": reason})


def resumed(state: BookSessionState) -> BookSessionState:
    return state.model_copy(update={"paused": False, "pause_reason": ""})


def timed_out(state: BookSessionState) -> BookSessionState:
    if approvals.is_waiting(state):
        return approvals.expired(state)
    return state.model_copy(update={"timed_out": True, "paused": False})


def _after_step(state: BookSessionState, **changes: object) -> BookSessionState:
    return state.model_copy(update={**changes, "effects": state.effects + 1})


# What people are told.


def time_left(state: BookSessionState, now: datetime) -> timedelta | None:
    """How long the book may still be held, or a person be waited for; None while no limit runs.

    A person's pause stops the clock, the session's own pause at a cap does not: a book must not stay locked
    because a budget ran out.
    """
    if state.paused and not state.pause_reason:
        return None
    deadline = _deadline(state)
    return None if deadline is None else max(deadline - now, timedelta())


def _deadline(state: BookSessionState) -> datetime | None:
    if state.asked is not None and approvals.is_waiting(state):
        return state.asked.expires_at
    if state.opened is None or state.opened_on is None or not _is_held(state):
        return None
    return state.opened_on + timedelta(minutes=state.opened.timeout_minutes)


def _is_held(state: BookSessionState) -> bool:
    held = state.opened is not None and state.opened.verdict == "open"
    return held and state.written is None and state.released is None and not state.timed_out


def stage(state: BookSessionState) -> str:
    """One word for where the session stands."""
    if state.ended:
        return "ended"
    if state.paused:
        return "paused"
    if state.opened is None:
        return "open"
    if state.opened.verdict == "open" and state.closed is None and state.released is None:
        return _stage_while_held(state)
    return "push" if state.pushed is None else "complete" if state.completed is None else "end"


def _stage_while_held(state: BookSessionState) -> str:
    if must_release(state):
        return "release"
    if approvals.is_waiting(state):
        return "approval"
    if state.advance_asked:
        return "advance"
    return "write" if state.written is None else "close"


def result(given: BookSessionInput, state: BookSessionState) -> BookSessionResult:
    """How the session ended; also asked for while it runs, to be recorded by its last step."""
    outcome, code, message = _verdict(state)
    return BookSessionResult(
        outcome=outcome,
        code=code,
        message=message,
        book_id=given.book_id,
        session=given.session,
        stopped_by=state.stop.who if state.stop else "",
        report=_report(state),
        completion=state.completed.report if state.completed else None,
        snapshot_tag=state.opened.snapshot_tag if state.opened else "",
        commit=_commit(state),
        push=state.pushed.outcome if state.pushed else "",
        cost_micros=state.cost_micros,
        unknown_prices=state.unknown_prices,
        prose=state.written.prose if state.written else None,
        kept_prose=_kept_prose(state),
    )


def _kept_prose(state: BookSessionState) -> BlobRef | None:
    """What was written, when neither a close nor a release could commit it."""
    committed = state.closed is not None or (state.released is not None and state.released.commit is not None)
    return None if state.written is None or committed else state.written.prose


def _report(state: BookSessionState) -> ClosedReport | None:
    if state.closed is None:
        return None
    push = state.pushed.outcome if state.pushed else ""
    return state.closed.report.model_copy(update={"push": push})


def _commit(state: BookSessionState) -> CommitSha | None:
    for outcome in (state.completed, state.closed, state.released):
        if outcome is not None and outcome.commit:
            return outcome.commit
    return state.opened.tip if state.opened else None


def _verdict(state: BookSessionState) -> tuple[Outcome, str, str]:
    opened_ = state.opened
    if opened_ is None:
        return "stopped", "killed", state.stop.reason if state.stop else ""
    if opened_.verdict == "killed":
        return "stopped", "kill-file", "the book's kill file asked for no session"
    if opened_.verdict == "refused" and state.failure is None:
        return "refused", opened_.code, opened_.message
    if opened_.verdict not in ("open", "refused"):
        return "refused", opened_.verdict, opened_.message or _REFUSALS[opened_.verdict]
    return _verdict_of_held(state)


def _verdict_of_held(state: BookSessionState) -> tuple[Outcome, str, str]:
    failure = state.failure
    if state.closed is None and failure is not None:
        return "failed", failure.code, failure.message
    if state.stop is not None:
        return "stopped", "killed", state.stop.reason
    if state.closed is None:
        return "stopped", "session-timeout", state.pause_reason or "the session ran out of time"
    if state.completed is not None and state.completed.report.status == "complete":
        return "completed", "", ""
    return "closed", failure.code if failure else "", failure.message if failure else ""


def progress(given: BookSessionInput, state: BookSessionState) -> Progress:
    """Where the session stands, for people."""
    return Progress(
        pipeline="book-session",
        subject=given.book_id,
        stage=stage(state),
        detail=describe(given, state),
        words=_words(state),
        cost_micros=state.cost_micros,
        paused=state.paused,
        ended=state.ended,
    )


def _words(state: BookSessionState) -> int:
    if state.closed is not None:
        return state.closed.report.session_word_count
    return state.written.words if state.written else 0


def describe(given: BookSessionInput, state: BookSessionState) -> str:
    """One sentence for the Temporal UI and the command line."""
    match stage(state):
        case "open":
            return f"Opening {given.book_id}"
        case "paused":
            return f"Paused: {state.pause_reason or 'by a person'}"
        case "advance":
            return "Moving on to the next chapter"
        case "write" if given.writer == "outside":
            return f"Waiting for {given.who or 'an outside agent'} to deliver its prose"
        case "write":
            wanted = state.opened.words_wanted if state.opened else 0
            return f"Writing {wanted} words"
        case "approval":
            return _describe_request(given, state)
        case "close":
            return "Putting the prose into the book"
        case "release":
            return f"Giving the book back: {_release_reason(state)}"
        case "push":
            return "Bringing the remote up to date"
        case "ended":
            return _describe_ending(result(given, state))
        case _:
            return "Finishing"


def _describe_request(given: BookSessionInput, state: BookSessionState) -> str:
    request = state.asked
    assert request is not None, "somebody was asked"
    return (
        f"Waiting for approval until {request.expires_at:%H:%M} UTC: {approvals.summary_of(request)}. "
        f"`penwright intent approve {given.book_id}` publishes it, "
        f"`penwright intent deny {given.book_id}` keeps the prose aside"
    )


def _describe_ending(ending: BookSessionResult) -> str:
    words = f", {ending.report.session_word_count} words" if ending.report else ""
    why = f": {ending.message}" if ending.message else ""
    return f"Session {ending.outcome}{words}{why}"
