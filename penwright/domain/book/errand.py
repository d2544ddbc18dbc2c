"""The control flow of an errand: one change, what follows from a completion, then a push.

It may be steered between its steps. A pause holds the next one; a kill before the change changes nothing
and fails the errand as ``killed``; a kill after it skips the push, which the next session settles.
"""

from typing import Literal, assert_never

from penwright.domain import control
from penwright.domain.book.requests import request_fields
from penwright.errors import Refused
from schemas.base import Cause, Effect, Progress
from schemas.book_errand import (
    BookErrandInput,
    BookErrandResult,
    BookErrandState,
    EditBook,
    FinishBook,
    RestoreBook,
    RestoreReport,
)
from schemas.book_session import (
    AdvanceChapter,
    Advanced,
    BookSessionResult,
    CompleteBook,
    Completed,
    PushBook,
)
from schemas.book_text import BookEdited
from schemas.workspace import Pushed

Step = AdvanceChapter | CompleteBook | FinishBook | RestoreBook | EditBook | PushBook
Stage = Literal[
    "advance",
    "complete",
    "rollback",
    "undo",
    "reset",
    "accept-remote",
    "restore-session",
    "edit",
    "push",
    "paused",
    "ended",
]


def next_step(given: BookErrandInput, state: BookErrandState, effect: Effect) -> Step | None:
    """The change first, then a push if it left a commit; a sealed book is finished even after a kill."""
    if _must_finish(state):
        return FinishBook(effect=effect, result=_completion(given, state))
    if _is_over(state):
        return None
    if not _is_done(state):
        return _change(given, effect)
    return PushBook(**request_fields(given, effect))


def _is_over(state: BookErrandState) -> bool:
    idle = _is_done(state) and not _left_a_commit(state)
    return idle or state.pushed is not None or control.must_end(state)


def _must_finish(state: BookErrandState) -> bool:
    sealed = state.completed is not None and state.completed.report.status == "complete"
    return sealed and not state.finished


def _completion(given: BookErrandInput, state: BookErrandState) -> BookSessionResult:
    assert state.completed is not None, "the book is sealed"
    return BookSessionResult(
        outcome="completed",
        book_id=given.book_id,
        session=given.session,
        completion=state.completed.report,
        commit=state.completed.commit,
    )


def _change(given: BookErrandInput, effect: Effect) -> Step:
    fields = request_fields(given, effect)
    match given.kind:
        case "advance":
            return AdvanceChapter(**fields)
        case "complete":
            return CompleteBook(**fields, early=given.early, by_agent=given.by_agent)
        case "rollback" | "undo" | "reset" | "accept-remote" | "restore-session":
            return RestoreBook(**fields, kind=given.kind, target=given.target, listed=given.listed)
        case "edit":
            return EditBook(**fields, edits=given.edits, who=given.who)
        case _:
            assert_never(given.kind)


def _is_done(state: BookErrandState) -> bool:
    return any((state.advanced, state.completed, state.restored, state.edited))


def _left_a_commit(state: BookErrandState) -> bool:
    if state.restored is not None:
        return True
    outcome = state.advanced or state.completed or state.edited
    return outcome is not None and outcome.commit is not None


def advanced(state: BookErrandState, outcome: Advanced) -> BookErrandState:
    return control.after_step(state, advanced=outcome)


def completed(state: BookErrandState, outcome: Completed) -> BookErrandState:
    return control.after_step(state, completed=outcome)


def finished(state: BookErrandState) -> BookErrandState:
    return control.after_step(state, finished=True)


def restored(state: BookErrandState, outcome: RestoreReport) -> BookErrandState:
    return control.after_step(state, restored=outcome)


def edited(state: BookErrandState, outcome: BookEdited) -> BookErrandState:
    return control.after_step(state, edited=outcome)


def pushed(state: BookErrandState, outcome: Pushed) -> BookErrandState:
    return control.after_step(state, pushed=outcome)


def failed(given: BookErrandInput, state: BookErrandState, step: Step, cause: Cause) -> BookErrandState:
    """After a failed push the change remains, and the next session settles the push.

    A schedule that could not be deleted is deleted by the session that it starts next.
    """
    if isinstance(step, FinishBook):
        return finished(state)
    if isinstance(step, PushBook):
        return pushed(state, Pushed(outcome="pending", code=cause.code, reason=cause.message))
    return control.after_step(control.failed(state, given.kind, cause))


def failure(state: BookErrandState) -> Cause | None:
    """Cause for which the errand was not carried out; None if it was."""
    stop = state.control.stop
    if state.control.failure is not None or stop is None or _is_done(state):
        return state.control.failure
    # A step that was cancelled under way may still commit.
    begun = "while it was under way; `penwright book log BOOK` shows whether it was done"
    when = begun if state.control.effects else "before anything was changed"
    return Cause(code="killed", message=f"{stop.who} ended it {when}: {stop.reason}")


def result(state: BookErrandState) -> BookErrandResult:
    """The report of the change, with how the push went."""
    skipped = "pending" if _left_a_commit(state) else ""
    push = state.pushed.outcome if state.pushed else skipped
    # A push may have merged what the remote has besides.
    tip = (state.pushed and state.pushed.tip) or (state.restored and state.restored.commit)
    restore = state.restored.model_copy(update={"push": push, "commit": tip}) if state.restored else None
    return BookErrandResult(
        advance=state.advanced.report if state.advanced else None,
        completion=state.completed.report if state.completed else None,
        restore=restore,
        edit=state.edited.model_copy(update={"push": push}) if state.edited else None,
        push=push,
    )


def progress(given: BookErrandInput, state: BookErrandState) -> Progress:
    """The status of the errand, for people."""
    now = stage(given, state)
    shown = state if now != "ended" else control.ended(state)
    outcome, code = _outcome(state)
    return control.progress(
        shown,
        pipeline="book-errand",
        subject=given.book_id,
        stage=now,
        detail=f"{given.kind.capitalize()} of {given.book_id}: {now}",
        outcome=outcome,
        code=code,
    )


def _outcome(state: BookErrandState) -> tuple[str, str]:
    """Outcome of the errand in one word, with its code."""
    if (cause := failure(state)) is not None:
        killed = state.control.stop is not None and state.control.failure is None
        word = "killed" if killed else "refused" if cause.family == Refused.family else "failed"
        return word, cause.code
    late = state.pushed.code if state.pushed is not None and state.pushed.outcome == "pending" else ""
    if state.completed is not None:
        sealed = state.completed.report.status == "complete"
        return ("sealed", late) if sealed else ("refused", _as_code(state.completed.report.status))
    return "done", late or _as_code(_what_was_done(state))


def _what_was_done(state: BookErrandState) -> str:
    if state.restored is not None:
        return state.restored.status
    if state.edited is not None:
        return state.edited.code or state.edited.outcome
    return state.advanced.report.status if state.advanced else ""


def _as_code(status: str) -> str:
    return status.replace("_", "-")


def stage(given: BookErrandInput, state: BookErrandState) -> Stage:
    """The stage, in one word."""
    if _is_over(state) and not _must_finish(state):
        return "ended"
    if state.control.paused:
        return "paused"
    return "push" if _is_done(state) else given.kind
