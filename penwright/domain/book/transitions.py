"""Transitions of a book session by its steps' results; each returns the new state."""

from datetime import datetime, timedelta

from penwright.domain import approvals, control
from penwright.domain import outside_agent as outside
from penwright.domain.book.session import Step
from penwright.domain.book.session_status import (
    must_release,
    stage,
)
from penwright.domain.book.session_warnings import not_planned
from schemas.base import Cause
from schemas.book import AdvanceReport
from schemas.book_session import (
    AdvanceChapter,
    Advanced,
    AdvanceRequest,
    AnnounceApproval,
    BookSessionInput,
    BookSessionState,
    ChapterPlan,
    Closed,
    CloseSession,
    CompleteBook,
    Completed,
    EditProse,
    EndSession,
    Opened,
    OpenSession,
    OutlineSaved,
    OutsideMessage,
    PlanChapter,
    PushBook,
    ReleaseBook,
    Released,
    SaveOutline,
    WriteProse,
)
from schemas.outside_session import DeliverProse, SessionProse
from schemas.workspace import Pushed


def opened(state: BookSessionState, outcome: Opened, at: datetime) -> BookSessionState:
    deadline = at + timedelta(minutes=outcome.timeout_minutes) if outcome.verdict == "open" else None
    return control.after_step(
        control.started(state, at, deadline),
        opened=outcome,
        pin=outcome.pin,
        words_wanted=outcome.words_wanted,
    )


def advanced(state: BookSessionState, outcome: Advanced) -> BookSessionState:
    return control.after_step(state, advances=(*state.advances, outcome), advance_asked=False)


def planned(state: BookSessionState, outcome: ChapterPlan) -> BookSessionState:
    """The planner has answered, or failed; a session that ends anyway has no plan."""
    paid = control.spent(state, outcome.cost_micros, outcome.unknown_prices)
    return control.after_step(paid, plan=None if must_release(state) else outcome)


def outline_saved(state: BookSessionState, outcome: OutlineSaved) -> BookSessionState:
    return control.after_step(state, outline=outcome)


def written(
    state: BookSessionState, outcome: SessionProse, *, awaits_editor: bool = False
) -> BookSessionState:
    """Prose has arrived: unless an editor is to read it, the book is closed next, whatever the clock says."""
    paid = control.spent(state, outcome.cost_micros, outcome.unknown_prices)
    if awaits_editor:
        return control.after_step(paid, written=outcome, awaits_editor=True)
    return control.after_step(control.limited(paid, None), written=outcome)


def edited(state: BookSessionState, draft: SessionProse, outcome: SessionProse) -> BookSessionState:
    """The editor has read ``draft``; the book is closed from here on, whatever the clock says."""
    further = outcome.cost_micros - draft.cost_micros, outcome.unknown_prices - draft.unknown_prices
    paid = control.limited(control.spent(state, *further), None)
    return control.after_step(paid, written=outcome, awaits_editor=False)


def unedited(draft: SessionProse, why: str) -> SessionProse:
    """The draft as it stands, with the reason why its editor changed nothing."""
    craft = draft.craft.model_copy(update={"unedited": " ".join(why.split())})
    return draft.model_copy(update={"craft": craft})


def unwritten(
    given: BookSessionInput, state: BookSessionState, step: WriteProse, cause: Cause
) -> BookSessionState:
    """The writer delivered nothing: it was interrupted with the session, or it failed."""
    return control.after_step(state) if must_release(state) else failed(given, state, step, cause)


def message_taken(state: BookSessionState, message: OutsideMessage) -> BookSessionState:
    """The outside agent has spoken: its prose counts as written, its wish to advance is the next step."""
    if isinstance(message, AdvanceRequest):
        return control.after_step(state, advance_asked=True)
    return delivered(state, message)


def delivered(state: BookSessionState, delivery: DeliverProse) -> BookSessionState:
    """Prose of an outside agent counts as written."""
    return written(state, delivery.written).model_copy(update={"prose": delivery.written.prose})


def closed(
    given: BookSessionInput, state: BookSessionState, step: CloseSession, outcome: Closed, now: datetime
) -> BookSessionState:
    """The prose is in the book; or the gate denied it, and the agent or a person may help."""
    need = outcome.asks
    if need is None:
        return control.after_step(state, closed=outcome, pushed=None)
    if state.asked is None and outside.may_mend_itself(given, need):
        return denied(state, step, outside.cause_of(need))
    prose = state.written.prose if state.written else None
    return approvals.asked(state, step.effect, need, now, end=_time_over(state), prose=prose)


def denied(state: BookSessionState, step: Step, cause: Cause) -> BookSessionState:
    """A rule denied what an outside agent asked, and it may correct that: the state is as before the call."""
    if isinstance(step, AdvanceChapter):
        report = AdvanceReport(status="error", message=cause.message)
        refused = Advanced(report=report, denial=cause)
        return advanced(state, refused).model_copy(update={"denial": cause})
    waiting = control.limited(state, _time_over(state)).model_copy(update={"written": None})
    return outside.denied(waiting, cause)


def _time_over(state: BookSessionState) -> datetime | None:
    """When the session's time is over; None unless it holds the book."""
    started = state.control.started_at
    if state.opened is None or started is None:
        return None
    return started + timedelta(minutes=state.opened.timeout_minutes) + control.queued(state)


def released(state: BookSessionState, outcome: Released) -> BookSessionState:
    return control.after_step(control.limited(state, None), released=outcome, pushed=None)


def completed(
    state: BookSessionState, step: CompleteBook, outcome: Completed, now: datetime
) -> BookSessionState:
    """The book is sealed or stays open; or the gate denied the sealing, and a person may help."""
    again = None if outcome.commit else state.pushed
    done = control.after_step(state, completed=outcome, pushed=again)
    if outcome.asks is None:
        return done
    return approvals.asked(done, step.effect, outcome.asks, now, end=None)


def pushed(state: BookSessionState, outcome: Pushed) -> BookSessionState:
    return control.after_step(state, pushed=outcome)


def ended(state: BookSessionState) -> BookSessionState:
    return control.after_step(control.ended(state))


def failed(given: BookSessionInput, state: BookSessionState, step: Step, cause: Cause) -> BookSessionState:
    """A step failed for good. What that means depends on how far the session had come."""
    if isinstance(step, CloseSession | AdvanceChapter) and _may_mend(given, state, cause):
        return denied(state, step, cause)
    match step:
        case OpenSession():
            return _failed_to_open(state, cause)
        case PlanChapter():
            return planned(state, ChapterPlan(chapter=step.chapter, why_none=cause.message))
        case SaveOutline():
            return outline_saved(state, OutlineSaved(warning=not_planned(step.plan.chapter, cause.message)))
        case PushBook():
            return pushed(state, Pushed(outcome="pending", code=cause.code, reason=cause.message))
        case ReleaseBook():
            return released(control.failed(state, stage(state), cause), Released())
        case EndSession():
            return ended(state)
        case AnnounceApproval():
            return approvals.announced(state, step.decision)
        case EditProse():
            return edited(state, step.written, unedited(step.written, cause.message))
        case _:
            return control.after_step(control.failed(state, stage(state), cause), advance_asked=False)


def _may_mend(given: BookSessionInput, state: BookSessionState, cause: Cause) -> bool:
    """Whether the outside agent may try again; not once a person was asked about what it made."""
    return state.asked is None and outside.may_mend(given, cause)


def _failed_to_open(state: BookSessionState, cause: Cause) -> BookSessionState:
    """A rule refused the opening; or it is unknown how far it came, and then the session has failed."""
    shut = Opened(verdict="refused", code=cause.code, message=cause.message)
    return control.after_step(
        state if cause.final else control.failed(state, stage(state), cause), opened=shut
    )
