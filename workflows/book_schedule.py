"""Workflow that a schedule starts: Temporal gives it an id of its own, the session needs the book's."""

from typing import Final

from temporalio import workflow
from temporalio.exceptions import (
    ApplicationError,
    ChildWorkflowError,
    WorkflowAlreadyStartedError,
)
from temporalio.workflow import execute_activity_method as ask

from activities.endings import EndingActivities
from penwright.domain.book import scheduling as rules
from penwright.domain.book.session_status import progress, shown_outcome
from schemas.base import Effect, OpId
from schemas.book_session import (
    BookSessionInput,
    BookSessionResult,
    BookSessionState,
    ScheduledSessionResult,
    SchedulePaused,
)
from workflows.book_session import BookSession
from workflows.options import RECORD, TASK_TIMEOUT
from workflows.visibility import at_start, show_ending

PIPELINE: Final = "book-schedule"
"""Pipeline of a schedule's run in lists; the session that it starts has a row of its own."""
REFUSED_IN_ROW: Final = "refused-in-row"


@workflow.defn
class ScheduledBookSession:
    """Runs one session as a child under ``book/<book-id>``, so that the lock holds for schedules too.

    It fails when the session fails, and at the ``pause_after``-th refusal in a row, so that a schedule may
    pause on failure; a book that is busy is neither.
    """

    @workflow.run
    async def run(self, given: BookSessionInput) -> ScheduledSessionResult:
        session = f"{workflow.now():%Y%m%dT%H%M%SZ}-{workflow.uuid4().hex[:6]}"
        named = given.model_copy(update={"session": session})
        try:
            ending = await _session(named)
        except ChildWorkflowError as error:
            failure = error.cause
            code = failure.type if isinstance(failure, ApplicationError) else None
            show_ending(PIPELINE, given.book_id, "failed", code or "session-lost")
            await _announce_pause(named, f"its session failed: {failure or error}")
            raise
        show_ending(PIPELINE, given.book_id, *shown_outcome(ending))
        refusals = rules.refusals_in_row(_refusals_before(), ending)
        if rules.must_pause(given, refusals, ending):
            why = rules.pause_message(refusals, ending)
            await _announce_pause(named, why)
            raise ApplicationError(why, ending, type=REFUSED_IN_ROW, non_retryable=True)
        return ScheduledSessionResult(**dict(ending), refusals=refusals)


async def _session(given: BookSessionInput) -> BookSessionResult:
    try:
        return await workflow.execute_child_workflow(
            BookSession.run,
            given,
            id=f"book/{given.book_id}",
            task_timeout=TASK_TIMEOUT,
            parent_close_policy=workflow.ParentClosePolicy.ABANDON,
            static_summary=f"Scheduled session of {given.book_id}",
            search_attributes=at_start(progress(given, BookSessionState())),
        )
    except WorkflowAlreadyStartedError:
        return BookSessionResult(
            outcome="refused",
            book_id=given.book_id,
            session=given.session,
            code=rules.BUSY,
            message="a session or another change holds this book; the next scheduled run tries again",
        )


def _refusals_before() -> int:
    """Refused runs in a row until now; a failed run, which may have paused the schedule, ends the row."""
    if not workflow.has_last_completion_result() or workflow.get_last_failure() is not None:
        return 0
    last = workflow.get_last_completion_result(ScheduledSessionResult)
    return last.refusals if last else 0


async def _announce_pause(given: BookSessionInput, why: str) -> None:
    """Notify people before the run fails, upon which Temporal pauses the schedule."""
    if not given.pause_after:
        return
    effect = Effect(op_id=OpId(f"book/{given.book_id}#{given.session}:pause"), issued_at=workflow.now())
    request = SchedulePaused(effect=effect, book_id=given.book_id, message=why)
    await ask(EndingActivities.announce_pause, request, **RECORD)
