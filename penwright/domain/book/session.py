"""The control flow of a book session: which step is next, and what an outside agent is answered.

Steps, in the order ``next_step`` looks for them: open, (plan, save the outline), (advance), write, (edit),
close, push, (complete). A close that the gate denies may be asked for: it is announced, a person decides, and
it is tried again. A session that cannot go on releases the book instead of closing it; every session ends by
saying how.
"""

from collections.abc import Iterable

from penwright.domain import approvals, control
from penwright.domain import outside_agent as outside
from penwright.domain.approvals import AwaitDecision
from penwright.domain.book.identity import Place
from penwright.domain.book.requests import request_fields
from penwright.domain.book.session_status import (
    is_rejected,
    must_release,
    plan_warnings,
    release_reason,
    result,
)
from penwright.domain.outside_agent import AwaitAgent
from penwright.errors import Refused
from schemas.base import BlobRef, Cause, Effect
from schemas.book_session import (
    AdvanceChapter,
    Advanced,
    AdvanceRequest,
    AnnounceApproval,
    BookSessionInput,
    BookSessionResult,
    BookSessionState,
    Closed,
    CloseSession,
    CompleteBook,
    EditProse,
    EndSession,
    Opened,
    OpenSession,
    PlanChapter,
    PushBook,
    ReleaseBook,
    SaveOutline,
    SelectIntent,
    WriteProse,
)
from schemas.continuity import ContinuityInput
from schemas.outside_session import OpenRequest, SessionProse

Step = (
    OpenSession
    | AdvanceChapter
    | PlanChapter
    | SaveOutline
    | WriteProse
    | EditProse
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
    """The first step whose result is missing, or None when the session has ended."""
    if state.control.ended:
        return None
    opened = state.opened
    if opened is None:
        return _end(given, state, effect) if state.control.stop else _open(given, effect)
    if opened.verdict == "open" and state.closed is None and state.released is None:
        return _step_while_held(given, state, opened, effect)
    if opened.verdict == "refused" and state.control.failure is not None and state.released is None:
        # It is unknown how far the opening came; a lock without a session must not stay.
        return ReleaseBook(**request_fields(given, effect), reason=release_reason(state))
    if opened.verdict == "reviewed" and state.completed is None and _may_complete(given, state):
        return _complete(given, state, effect)
    if state.pushed is None and _left_commits(state):
        return PushBook(**request_fields(given, effect), remote_silent=opened.remote_silent)
    if _asks_to_seal(state) and (asking := _step_while_asked(given, state, effect)) is not None:
        return asking
    if _may_complete(given, state):
        return _complete(given, state, effect)
    return _end(given, state, effect)


def _step_while_held(
    given: BookSessionInput, state: BookSessionState, opened: Opened, effect: Effect
) -> Step:
    """The session holds the book and has committed no prose yet: what must happen before it releases it."""
    if (asking := _step_while_asked(given, state, effect)) is not None:
        return asking
    if must_release(state):
        return _release(given, state, effect)
    if (planning := _step_of_planning(given, state, opened, effect)) is not None:
        return planning
    if state.advance_asked or _should_advance(given, state, opened):
        return AdvanceChapter(**request_fields(given, effect), payload=_payload(state, opened))
    if state.written is None:
        return AwaitAgent() if given.writer == "outside" else _write(state, opened)
    if state.awaits_editor and opened.index is not None and not control.must_end(state):
        return _edit(state, state.written, opened, opened.index)
    if state.asked is not None:
        # Reuse the op id: it is part of the approved plan digest, and finds an earlier publish.
        effect = state.asked.effect
    return _close(given, state, state.written, opened, effect)


def _release(given: BookSessionInput, state: BookSessionState, effect: Effect) -> ReleaseBook:
    fields, reason = request_fields(given, effect), release_reason(state)
    if is_rejected(given, state):
        return ReleaseBook(**fields, reason=reason)
    failure = state.control.failure
    return ReleaseBook(
        **fields,
        reason=reason,
        code=failure.code if failure else "",
        message=failure.message if failure else "",
        intent=state.pin.intent_id if state.pin else "",
        prose=state.written.prose if state.written else None,
    )


def _step_while_asked(
    given: BookSessionInput, state: BookSessionState, effect: Effect
) -> AnnounceApproval | AwaitDecision | None:
    """Notify people of a request, await the decision, notify them of it; None if there is no request."""
    if state.asked is None:
        return None
    if state.announced != ("asked" if state.decision is None else "decided"):
        return AnnounceApproval(**request_fields(given, effect), request=state.asked, decision=state.decision)
    return AwaitDecision() if state.decision is None else None


def _step_of_planning(
    given: BookSessionInput, state: BookSessionState, opened: Opened, effect: Effect
) -> PlanChapter | SaveOutline | None:
    """A chapter without an outline gets one before anything is written."""
    if not opened.chapter_to_plan or opened.payload is None or state.written is not None:
        return None
    if state.plan is None:
        return PlanChapter(payload=opened.payload, chapter=opened.chapter_to_plan)
    if state.plan.outline is None or state.outline is not None:
        return None
    return SaveOutline(**request_fields(given, effect), plan=state.plan, payload=opened.payload)


def _should_advance(given: BookSessionInput, state: BookSessionState, opened: Opened) -> bool:
    """The built-in writer moves on once, as soon as the chapter is nearly full."""
    return (
        given.writer == "built-in"
        and (
            opened.chapter_close_suggested
            or (state.outline is not None and state.outline.chapter_close_suggested)
        )
        and not opened.rework_only
        and not state.advances
        and state.written is None
    )


def _left_commits(state: BookSessionState) -> bool:
    opened, released = state.opened, state.released
    if released is not None and released.commit is not None:
        return True
    return (
        opened is not None and opened.may_push and opened.verdict in ("open", "killed", "sealed", "reviewed")
    )


def _may_complete(given: BookSessionInput, state: BookSessionState) -> bool:
    """Only the built-in writer completes inside its session; an outside agent calls ``complete`` itself."""
    if given.writer != "built-in" or not (state.completed is None or _asks_to_seal(state)):
        return False
    if given.rewrite is not None:
        return False
    if state.control.failure is not None or state.control.stop is not None:
        return False
    if state.opened is not None and state.opened.verdict == "reviewed":
        return True
    return (
        state.closed is not None
        and state.closed.report.completion_ready
        and state.written is not None
        and (state.written.arcs_closed or state.closed.report.at_target == "complete")
    )


def _asks_to_seal(state: BookSessionState) -> bool:
    """Whether the gate denied the sealing, which a person may allow."""
    return state.completed is not None and state.completed.asks is not None


def _complete(given: BookSessionInput, state: BookSessionState, effect: Effect) -> CompleteBook:
    """Seal under the session's intent: a yes to the close is none to this."""
    if not _asks_to_seal(state) or state.asked is None:
        return CompleteBook(**request_fields(given, effect), pin=state.pin)
    fields = request_fields(given, state.asked.effect)
    return CompleteBook(**fields, pin=state.pin, approval=approvals.granted(state))


def _open(given: BookSessionInput, effect: Effect) -> OpenSession:
    fields = request_fields(given, effect)
    return OpenSession(
        **fields,
        writer=given.writer,
        who=given.who,
        intent=given.intent,
        origin=given.origin,
        rewrite=given.rewrite,
    )


def _write(state: BookSessionState, opened: Opened) -> WriteProse:
    payload = _payload(state, opened)
    assert payload is not None, "an open verdict carries a payload"
    return WriteProse(payload=payload, index=opened.index)


def _edit(state: BookSessionState, written: SessionProse, opened: Opened, index: BlobRef) -> EditProse:
    payload = _payload(state, opened)
    assert payload is not None, "an open verdict carries a payload"
    return EditProse(payload=payload, index=index, written=written)


def advancing(given: BookSessionInput, state: BookSessionState, effect: Effect) -> AdvanceChapter:
    """The order by which the writer itself moves on."""
    assert state.opened is not None, "a writer works for a book that is open"
    return AdvanceChapter(**request_fields(given, effect), payload=_payload(state, state.opened))


def selecting(given: BookSessionInput, intent: str) -> SelectIntent:
    """The request to look an intent up."""
    return SelectIntent(subject=given.book_id, workspace=given.workspace, intent=intent)


def _payload(state: BookSessionState, opened: Opened) -> BlobRef | None:
    """The payload as the last move to another chapter left it, or the outline that was saved."""
    planned = (state.outline.payload if state.outline else None) or opened.payload
    return next((a.payload for a in reversed(state.advances) if a.payload), planned)


def _close(
    given: BookSessionInput, state: BookSessionState, written: SessionProse, opened: Opened, effect: Effect
) -> CloseSession:
    return CloseSession(
        **request_fields(given, effect),
        written=written,
        snapshot_tag=opened.snapshot_tag,
        pin=state.pin,
        approval=approvals.granted(state),
        warnings=(*opened.warnings, *plan_warnings(state)),
        rewrite=opened.rewrite,
    )


def _end(given: BookSessionInput, state: BookSessionState, effect: Effect) -> EndSession:
    return EndSession(
        effect=effect,
        result=result(given, state),
        schedule_id=given.schedule_id,
        to_read=_to_read(given, state),
    )


def _to_read(given: BookSessionInput, state: BookSessionState) -> ContinuityInput | None:
    """The run that reads what this session wrote."""
    if state.closed is None or state.opened is None or not state.opened.reads:
        return None
    return ContinuityInput(
        book_id=given.book_id,
        workspace=given.workspace,
        session=given.session,
        repo_queue=given.repo_queue,
        model_queue=given.model_queue,
    )


# What an outside agent is answered; None while it has to wait.


def place_of(given: BookSessionInput) -> Place:
    """Host and folder of the session's book."""
    return Place(given.repo_queue, given.workspace.path)


def advances_before(state: BookSessionState, inbox: Iterable[object]) -> int:
    """The number of the next advance: how many were tried, are under way or wait."""
    waiting = sum(isinstance(message, AdvanceRequest) for message in inbox)
    return len(state.advances) + state.advance_asked + waiting


def answer_to_open(given: BookSessionInput, state: BookSessionState, request: OpenRequest) -> Opened | None:
    """The verdict; a caller that did not start this session learns that one is running."""
    opened_ = state.opened
    if opened_ is None and not state.control.ended:
        return None
    opened_ = opened_ or Opened(verdict="refused", code="killed", message="killed before it opened")
    here = place_of(given).name
    if opened_.verdict == "open" and (
        request.opener != given.opener or outside.is_elsewhere(here, request.place)
    ):
        said = f"{outside.where_open(here)}; wait until that session has ended, or kill it"
        return opened_.model_copy(update={"verdict": "already-running", "message": said})
    return opened_.model_copy(update={"session": given.session})


def answer_to_close(
    given: BookSessionInput, state: BookSessionState, denials: int, *, repeated: bool = False
) -> Closed | Cause | None:
    """The close once its push was tried, or why there is none.

    Args:
        denials: how many there were when the prose was delivered.
        repeated: whether an earlier call was answered already.
    """
    if state.denials > denials:
        return state.denial
    if not _is_settled(state):
        return None
    if state.closed is None:
        return ending(given, state)
    report = result(given, state).report
    if report is not None and repeated:
        report = report.model_copy(update={"repeated": True})
    return state.closed.model_copy(update={"report": report})


def answer_to_advance(
    given: BookSessionInput, state: BookSessionState, number: int
) -> Advanced | Cause | None:
    """The result of the advance with this number, or why it was not tried."""
    if number < len(state.advances):
        return state.advances[number].denial or state.advances[number]
    return ending(given, state) if _is_settled(state) else None


def ending(given: BookSessionInput, state: BookSessionState) -> Cause:
    """The error for a caller whose call was not done when the session ended."""
    ended, failure = result(given, state), state.control.failure
    if ended.code == "killed" and state.control.stop is not None:
        return _killed(given, state, ended)
    said = ended.message or "the session ended before this was done; nothing was changed by it"
    if not ended.code or ended.outcome == "refused":
        return Cause(code=ended.code or "no-active-session", message=said, family=Refused.family)
    return Cause(code=ended.code, message=said, family=failure.family if failure else "")


def _killed(given: BookSessionInput, state: BookSessionState, ended: BookSessionResult) -> Cause:
    """Explain who killed the session and why, and where the caller's prose is."""
    stop = state.control.stop
    assert stop is not None, "the session was killed"
    lies = f"the prose lies in {ended.recovered}" if ended.recovered else "nothing was put into it"
    hint = (
        "move what you want of it into Review/current.md"
        if ended.recovered
        else f"`penwright book open {given.book_id}` opens it again for the same prose"
    )
    return Cause(
        code=ended.code,
        message=f"{stop.who} ended the session before the book was closed: {stop.reason}; {lies}",
        details={"hint": hint},
        family=Refused.family,
    )


def _is_settled(state: BookSessionState) -> bool:
    return state.pushed is not None or state.control.ended
