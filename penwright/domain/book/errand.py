"""The control flow of an errand: one change, then a push."""

from typing import assert_never

from penwright.domain.book.requests import request_fields
from schemas.base import Cause, Effect, Progress
from schemas.book_session import (
    AdvanceChapter,
    Advanced,
    BookErrandInput,
    BookErrandResult,
    BookErrandState,
    CompleteBook,
    Completed,
    PushBook,
    RestoreBook,
    RestoreReport,
)
from schemas.workspace import Pushed

Step = AdvanceChapter | CompleteBook | RestoreBook | PushBook


def next_step(given: BookErrandInput, state: BookErrandState, effect: Effect) -> Step | None:
    """The change first, then a push if it left a commit."""
    if state.pushed is not None:
        return None
    if not _is_done(state):
        return _change(given, effect)
    return PushBook(**request_fields(given, effect)) if _left_a_commit(state) else None


def _change(given: BookErrandInput, effect: Effect) -> Step:
    fields = request_fields(given, effect)
    match given.kind:
        case "advance":
            return AdvanceChapter(**fields)
        case "complete":
            return CompleteBook(**fields, early=given.early)
        case "rollback" | "undo" | "reset":
            return RestoreBook(**fields, kind=given.kind, target=given.target)
        case _:
            assert_never(given.kind)


def _is_done(state: BookErrandState) -> bool:
    return state.advanced is not None or state.completed is not None or state.restored is not None


def _left_a_commit(state: BookErrandState) -> bool:
    if state.restored is not None:
        return True
    outcome = state.advanced or state.completed
    return outcome is not None and outcome.commit is not None


def advanced(state: BookErrandState, outcome: Advanced) -> BookErrandState:
    return _after_step(state, advanced=outcome)


def completed(state: BookErrandState, outcome: Completed) -> BookErrandState:
    return _after_step(state, completed=outcome)


def restored(state: BookErrandState, outcome: RestoreReport) -> BookErrandState:
    return _after_step(state, restored=outcome)


def pushed(state: BookErrandState, outcome: Pushed) -> BookErrandState:
    return _after_step(state, pushed=outcome)


def unpushed(state: BookErrandState, cause: Cause) -> BookErrandState:
    """The change stands; the next session settles the push."""
    return pushed(state, Pushed(outcome="pending", code=cause.code, reason=cause.message))


def _after_step(state: BookErrandState, **changes: object) -> BookErrandState:
    return state.model_copy(update={**changes, "effects": state.effects + 1})


def result(state: BookErrandState) -> BookErrandResult:
    """The report of the change, with how the push went."""
    push = state.pushed.outcome if state.pushed else ""
    restore = state.restored.model_copy(update={"push": push}) if state.restored else None
    return BookErrandResult(
        advance=state.advanced.report if state.advanced else None,
        completion=state.completed.report if state.completed else None,
        restore=restore,
        push=push,
    )


def progress(given: BookErrandInput, state: BookErrandState) -> Progress:
    """Where the errand stands, for people."""
    stage = "ended" if state.pushed else "push" if _is_done(state) else given.kind
    return Progress(
        pipeline="book-errand",
        subject=given.book_id,
        stage=stage,
        detail=f"{given.kind.capitalize()} of {given.book_id}: {stage}",
        ended=stage == "ended",
    )
