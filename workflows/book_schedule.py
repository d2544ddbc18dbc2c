"""What a schedule starts: Temporal gives scheduled runs ids of their own, the session needs the book's."""

from typing import Final

from temporalio import workflow
from temporalio.exceptions import ApplicationError, ChildWorkflowError, WorkflowAlreadyStartedError

from penwright.domain.book.session_status import progress, shown_outcome
from schemas.book_session import BookSessionInput, BookSessionResult, BookSessionState
from workflows.book_session import BookSession
from workflows.options import TASK_TIMEOUT
from workflows.visibility import at_start, show_ending

PIPELINE: Final = "book-schedule"
"""What a run of a schedule is called in lists; the session that it starts has a row of its own."""


@workflow.defn
class ScheduledBookSession:
    """Runs one session as a child under ``book/<book-id>``, so that the lock holds for schedules too.

    It fails when the session fails, so that a schedule may pause on failure; a book that is busy is not a
    failure.
    """

    @workflow.run
    async def run(self, given: BookSessionInput) -> BookSessionResult:
        try:
            ending = await _session(given)
        except ChildWorkflowError as error:
            failure = error.cause
            code = failure.type if isinstance(failure, ApplicationError) else None
            show_ending(PIPELINE, given.book_id, "failed", code or "session-lost")
            raise
        show_ending(PIPELINE, given.book_id, *shown_outcome(ending))
        return ending


async def _session(given: BookSessionInput) -> BookSessionResult:
    session = f"{workflow.now():%Y%m%dT%H%M%SZ}-{workflow.uuid4().hex[:6]}"
    named = given.model_copy(update={"session": session})
    try:
        return await workflow.execute_child_workflow(
            BookSession.run,
            named,
            id=f"book/{given.book_id}",
            task_timeout=TASK_TIMEOUT,
            parent_close_policy=workflow.ParentClosePolicy.ABANDON,
            static_summary=f"Scheduled session of {given.book_id}",
            search_attributes=at_start(progress(named, BookSessionState())),
        )
    except WorkflowAlreadyStartedError:
        return BookSessionResult(
            outcome="refused",
            book_id=given.book_id,
            session=session,
            code="already-running",
            message="a session or errand holds this book; the next scheduled run tries again",
        )
