"""What a manuscript's schedule starts: Temporal gives scheduled runs ids of their own, the loop needs the
document's."""

from typing import Final

from temporalio import workflow
from temporalio.exceptions import ApplicationError, ChildWorkflowError, WorkflowAlreadyStartedError

from penwright.domain.manuscript.loop_status import progress, shown_outcome
from schemas.manuscript import ManuscriptInput, ManuscriptResult, ManuscriptState
from workflows.manuscript_loop import ManuscriptLoop
from workflows.options import TASK_TIMEOUT
from workflows.visibility import at_start, show_ending

PIPELINE: Final = "manuscript-schedule"
"""What a run of a schedule is called in lists; the loop that it starts has a row of its own."""
BUSY: Final = "already-running"


@workflow.defn
class ScheduledManuscript:
    """Runs the loop once as a child under ``manuscript/<novel>/<scene>``, as it would be started by hand.

    It fails when the loop fails, so that a schedule may pause on failure; a run that goes on already is none.
    """

    @workflow.run
    async def run(self, given: ManuscriptInput) -> ManuscriptResult:
        session = f"{workflow.now():%Y%m%dT%H%M%SZ}-{workflow.uuid4().hex[:6]}"
        try:
            ending = await _loop(given.model_copy(update={"session": session}))
        except ChildWorkflowError as error:
            cause = error.cause
            code = cause.type if isinstance(cause, ApplicationError) else None
            show_ending(PIPELINE, given.document, "failed", code or "run-lost")
            raise
        show_ending(PIPELINE, given.document, *shown_outcome(ending))
        return ending


async def _loop(given: ManuscriptInput) -> ManuscriptResult:
    try:
        return await workflow.execute_child_workflow(
            ManuscriptLoop.run,
            given,
            id=f"manuscript/{given.document}",
            task_timeout=TASK_TIMEOUT,
            parent_close_policy=workflow.ParentClosePolicy.ABANDON,
            static_summary=f"Scheduled run of {given.document}",
            search_attributes=at_start(progress(given, ManuscriptState())),
        )
    except WorkflowAlreadyStartedError:
        return ManuscriptResult(
            outcome="refused",
            stop="refused",
            code=BUSY,
            message="a run on this manuscript goes on already; the next scheduled run tries again",
            novel=given.novel,
            scene=given.scene,
            session=given.session,
        )
