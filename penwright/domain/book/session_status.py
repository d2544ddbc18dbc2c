"""The status of a book session: its stage, the sentence people read, its progress and its result."""

from typing import Literal

from penwright.domain import approvals, control
from penwright.domain.book.profile import BOOK_PROFILE
from penwright.domain.book.refusal_steps import TO_WRITE_ON
from penwright.domain.book.session_warnings import OVERLONG, TO_SEAL, not_planned, without_review_lines
from penwright.domain.text.conflict_notes import conflict_warning
from penwright.domain.text.placeholders import with_names
from penwright.domain.text.words import told_length
from schemas.base import BlobRef, CommitSha, LengthUnit, Progress
from schemas.book import ClosedReport, CompleteReport
from schemas.book_session import BookSessionInput, BookSessionResult, BookSessionState

Outcome = Literal["completed", "closed", "stopped", "refused", "failed"]
Stage = Literal[
    "open",
    "plan",
    "write",
    "edit",
    "advance",
    "approval",
    "close",
    "release",
    "push",
    "complete",
    "end",
    "paused",
    "ended",
]

_SHOWN = {"closed": "written", "completed": "sealed", "stopped": "killed"}
"""Outcomes that lists show by another word."""
_REFUSALS = {
    "already-running": "another session holds this book; wait for it, or look with "
    "`penwright book doctor BOOK`",
    "sealed": f"the book is complete; {TO_WRITE_ON}",
}


def must_release(state: BookSessionState) -> bool:
    """A kill or a timeout releases the book unless prose has arrived; then the session ends after the close.

    A close that a person would have to allow, and does not, is none.
    """
    if state.control.failure is not None or approvals.is_denied(state):
        return True
    return state.written is None and control.must_end(state)


def is_rejected(given: BookSessionInput, state: BookSessionState) -> bool:
    """Whether a person has read a rewritten passage and does not want it."""
    decision = state.decision
    denied = decision is not None and decision.decided == "denied"
    return given.rewrite is not None and denied and state.control.stop is None


def release_reason(state: BookSessionState) -> str:
    if state.control.failure is not None:
        return state.control.failure.message
    if state.control.stop is not None:
        return f"killed by {state.control.stop.who}: {state.control.stop.reason}"
    return "the session timed out"


def stage(state: BookSessionState) -> Stage:
    """The session's stage, in one word."""
    if state.control.ended:
        return "ended"
    if state.control.paused:
        return "paused"
    if state.opened is None:
        return "open"
    if state.opened.verdict == "open" and state.closed is None and state.released is None:
        return _stage_while_held(state)
    if approvals.is_waiting(state):
        return "approval"
    if state.opened.verdict == "reviewed" and state.completed is None:
        return "complete"
    return "push" if state.pushed is None else "complete" if state.completed is None else "end"


def _stage_while_held(state: BookSessionState) -> Stage:
    if must_release(state):
        return "release"
    if approvals.is_waiting(state):
        return "approval"
    if state.advance_asked:
        return "advance"
    if state.written is None:
        return "plan" if _plans(state) else "write"
    return "edit" if state.awaits_editor and not control.must_end(state) else "close"


def _plans(state: BookSessionState) -> bool:
    opened, plan = state.opened, state.plan
    if opened is None or not opened.chapter_to_plan:
        return False
    return plan is None or (plan.outline is not None and state.outline is None)


def plan_warnings(state: BookSessionState) -> tuple[str, ...]:
    """Warnings for the author about the planner's outline."""
    unmade = (
        (not_planned(state.plan.chapter, state.plan.why_none),) if state.plan and state.plan.why_none else ()
    )
    return (*unmade, *((state.outline.warning,) if state.outline and state.outline.warning else ()))


def result(given: BookSessionInput, state: BookSessionState) -> BookSessionResult:
    """Result of the session; also asked for while it runs, to be recorded by its last step."""
    outcome, code, message = _rejected(state) if is_rejected(given, state) else _verdict(state)
    return BookSessionResult(
        outcome=outcome,
        code=code,
        message=with_names(message, {"BOOK": given.workspace.path}),
        book_id=given.book_id,
        session=given.session,
        stopped_by=_stopped_by(given, state),
        report=_report(state),
        completion=state.completed.report if state.completed else None,
        snapshot_tag=state.opened.snapshot_tag if state.opened else "",
        commit=_commit(state),
        push=state.pushed.outcome if state.pushed else "",
        push_reason=state.pushed.reason if state.pushed and state.pushed.outcome == "pending" else "",
        cost_micros=state.control.cost_micros,
        unknown_prices=state.control.unknown_prices,
        prose=state.written.prose if state.written else None,
        kept_prose=_kept_prose(state),
        recovered=state.released.recovered if state.released else "",
        model=state.written.model if state.written else "",
        warnings=_warnings(state),
        rewritten_chapter=_rewritten_chapter(state),
    )


def _stopped_by(given: BookSessionInput, state: BookSessionState) -> str:
    if is_rejected(given, state) and state.decision is not None:
        return state.decision.by
    return state.control.stop.who if state.control.stop else ""


def _warnings(state: BookSessionState) -> tuple[str, ...]:
    """Those of the opening and of the close, each once: both read the author's comments.

    A close numbers the lines of the review anew; what the session says that it did itself since is left out.
    """
    opening = state.opened.warnings if state.opened else ()
    report = _report(state)
    closing = report.warnings if report else ()
    opening = without_review_lines(opening) if report else opening
    sealing = _said_of_sealing(state.completed.report) if state.completed else ""
    is_sealed = state.completed is not None and state.completed.report.status == "complete"
    done = (TO_SEAL, OVERLONG) if is_sealed else ()
    said = dict.fromkeys((*opening, *plan_warnings(state), *closing, sealing))
    return tuple(warning for warning in said if warning and not warning.startswith(done))


def _said_of_sealing(report: CompleteReport) -> str:
    """Tell the author which words were sealed unreviewed, or why the book is not sealed."""
    return report.unreviewed if report.status == "complete" else report.message


def _kept_prose(state: BookSessionState) -> BlobRef | None:
    """Prose that neither a close nor a release could commit."""
    committed = state.closed is not None or (state.released is not None and state.released.commit is not None)
    return None if state.written is None or committed else state.written.prose


def _report(state: BookSessionState) -> ClosedReport | None:
    if state.closed is None:
        return None
    push = state.pushed.outcome if state.pushed else ""
    met = [conflict_warning(path) for path in state.pushed.conflicts] if state.pushed else []
    report = state.closed.report
    return report.model_copy(update={"push": push, "warnings": (*report.warnings, *met)})


def _commit(state: BookSessionState) -> CommitSha | None:
    for outcome in (state.completed, state.closed, state.released):
        if outcome is not None and outcome.commit:
            return outcome.commit
    return state.opened.tip if state.opened else None


def _verdict(state: BookSessionState) -> tuple[Outcome, str, str]:
    opened_ = state.opened
    if opened_ is None:
        return "stopped", "killed", state.control.stop.reason if state.control.stop else ""
    if opened_.verdict == "killed":
        return "stopped", "kill-file", "the book's kill file asked for no session"
    if opened_.verdict == "refused" and state.control.failure is None:
        return "refused", opened_.code, opened_.message
    if opened_.verdict not in ("open", "refused", "reviewed"):
        return "refused", opened_.verdict, opened_.message or _REFUSALS[opened_.verdict]
    return _verdict_of_held(state)


def _rejected(state: BookSessionState) -> tuple[Outcome, str, str]:
    decision = state.decision
    assert decision is not None, "a person has decided"
    why = f": {decision.reason}" if decision.reason else ""
    return (
        "stopped",
        "rewrite-rejected",
        f"the new passage was rejected{why}; the book is as it was",
    )


def _verdict_of_held(state: BookSessionState) -> tuple[Outcome, str, str]:
    failure = state.control.failure
    if state.closed is None and failure is not None:
        return "failed", failure.code, failure.message
    if state.control.stop is not None:
        return "stopped", "killed", state.control.stop.reason
    if state.opened is not None and state.opened.verdict == "reviewed":
        return _verdict_of_sealing(state)
    if state.closed is None:
        return "stopped", "session-timeout", state.control.pause_reason or "the session ran out of time"
    if state.completed is not None and state.completed.report.status == "complete":
        return "completed", "", ""
    return "closed", failure.code if failure else "", failure.message if failure else ""


def _verdict_of_sealing(state: BookSessionState) -> tuple[Outcome, str, str]:
    """A session that only seals the book: it did, the author has asked for something meanwhile, or an outside
    agent has yet to call ``complete``."""
    if state.completed is None:
        return "refused", "reviewed", state.opened.message if state.opened else ""
    report = state.completed.report
    if report.status == "complete":
        return "completed", "", ""
    return "refused", report.status.replace("_", "-"), report.message


def progress(given: BookSessionInput, state: BookSessionState) -> Progress:
    """The status of the session, for people."""
    outcome, code = shown_outcome(result(given, state)) if state.control.ended else ("", "")
    return control.progress(
        state,
        pipeline=BOOK_PROFILE.name,
        subject=given.book_id,
        stage=stage(state),
        detail=describe(given, state),
        words=_words(state),
        outcome=outcome,
        code=code or _push_code(state),
    ).model_copy(update={"writer": given.writer, "unit": _unit(state)})


def shown_outcome(ending: BookSessionResult) -> tuple[str, str]:
    """A result's outcome as lists show it, and its code.

    The outcomes are written, sealed, rejected, refused, failed, killed and timed-out.
    """
    if ending.code == "rewrite-rejected":
        return "rejected", ending.code
    if ending.code == "session-timeout":
        return "timed-out", ending.code
    return _SHOWN.get(ending.outcome, ending.outcome), ending.code


def _push_code(state: BookSessionState) -> str:
    """Code of the reason why the push is pending."""
    return state.pushed.code if state.pushed is not None and state.pushed.outcome == "pending" else ""


def _unit(state: BookSessionState) -> LengthUnit:
    return state.opened.figures.unit if state.opened and state.opened.figures else "words"


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
            return control.pause_detail(state)
        case "advance":
            return "Moving on to the next chapter"
        case "plan":
            return f"Planning chapter {state.opened.chapter_to_plan if state.opened else 0}"
        case "write" if given.writer == "outside":
            return f"Waiting for {given.who or 'an outside agent'} to deliver its prose"
        case "write" if given.rewrite is not None:
            return f"Rewriting a passage of chapter {_rewritten_chapter(state)}"
        case "write":
            wanted = state.opened.words_wanted if state.opened else 0
            return f"Writing {told_length(wanted, _unit(state))}"
        case "edit":
            return f"Having {told_length(_words(state), _unit(state))} read by the editor"
        case "approval":
            return _describe_request(given, state)
        case "close" if given.rewrite is not None:
            return "Comparing the new passage with the book"
        case "close":
            return "Putting the prose into the book"
        case "release":
            return f"Giving the book back: {release_reason(state)}"
        case "push":
            return "Bringing the remote up to date"
        case "ended":
            return _describe_ending(result(given, state))
        case _:
            return "Finishing"


def _rewritten_chapter(state: BookSessionState) -> int:
    return state.opened.rewrite.chapter if state.opened and state.opened.rewrite else 0


def _describe_request(given: BookSessionInput, state: BookSessionState) -> str:
    request = state.asked
    assert request is not None, "there is a request"
    otherwise = "leaves the book open" if state.closed is not None else "keeps the prose aside"
    if given.rewrite is not None:
        otherwise = "leaves the book as it is"
    return (
        f"Waiting for approval until {request.expires_at:%H:%M} UTC: {approvals.summary_of(request)}. "
        f"`penwright intent approve {given.book_id}` publishes it, "
        f"`penwright intent deny {given.book_id}` {otherwise}"
    )


def _describe_ending(ending: BookSessionResult) -> str:
    words = f", {told_length(ending.report.session_word_count, ending.report.unit)}" if ending.report else ""
    why = f": {ending.message}" if ending.message else ""
    return f"Session {ending.outcome}{words}{why}"
