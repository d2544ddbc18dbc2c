"""Readings and plannings of books over a Temporal client."""

from temporalio.client import Client

from gateway.desk.engine.temporal.pipeline_runs import Pipeline, StartedRuns
from penwright.domain.book import plan_run
from penwright.domain.continuity import reading
from penwright.errors import PenwrightError, Refused
from schemas.continuity import ContinuityInput, ContinuityResult, ContinuityState
from schemas.planning import PlanningInput, PlanningResult, PlanningState
from workflows.continuity import BookContinuity
from workflows.planning import BookPlanning


def readings(client: Client, queue: str) -> StartedRuns[ContinuityInput, ContinuityResult]:
    """Runs in which a book's clerk reads it."""
    return StartedRuns(client, queue, _READING)


def plannings(client: Client, queue: str) -> StartedRuns[PlanningInput, PlanningResult]:
    """Runs in which a book's planner makes outlines."""
    return StartedRuns(client, queue, _PLANNING)


def _nothing_reads() -> PenwrightError:
    return Refused(
        "nothing-reads", "no reading of this book runs", hint="`penwright book read BOOK` has it read"
    )


def _nothing_plans() -> PenwrightError:
    hint = "`penwright book plan BOOK --chapters 3` has outlines made"
    return Refused("nothing-plans", "no planning of this book runs", hint=hint)


_READING = Pipeline(
    types=("BookContinuity",),
    run=BookContinuity.run,
    name=lambda given: given.book_id,
    title=lambda given: f"Reading of {given.book_id}",
    shown=lambda given: reading.progress(given, ContinuityState()),
    result=ContinuityResult,
    prefix="continuity/",
    thing="reading",
    none=_nothing_reads,
)
_PLANNING = Pipeline(
    types=("BookPlanning",),
    run=BookPlanning.run,
    name=lambda given: given.book_id,
    title=lambda given: f"Planning of {given.book_id}",
    shown=lambda given: plan_run.progress(given, PlanningState()),
    result=PlanningResult,
    prefix="planning/",
    thing="planning",
    none=_nothing_plans,
)
