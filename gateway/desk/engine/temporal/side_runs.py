"""Readings and plannings of books, and what remembers scenes, over a Temporal client."""

from temporalio.client import Client

from gateway.desk.engine.temporal.pipeline_runs import Pipeline, PipelineRuns, StartedRuns
from penwright.domain.book import plan_run
from penwright.domain.continuity import reading
from penwright.domain.scene.memory import run as remembering
from penwright.errors import PenwrightError, Refused
from schemas.continuity import ContinuityInput, ContinuityResult, ContinuityState
from schemas.planning import PlanningInput, PlanningResult, PlanningState
from schemas.scene_memory import SceneMemoryInput, SceneMemoryResult, SceneMemoryState
from workflows.continuity import BookContinuity
from workflows.planning import BookPlanning
from workflows.scene_memory import SceneMemory


def readings(client: Client, queue: str) -> StartedRuns[ContinuityInput, ContinuityResult]:
    """Runs in which a book's clerk reads it."""
    return StartedRuns(client, queue, _READING)


def plannings(client: Client, queue: str) -> StartedRuns[PlanningInput, PlanningResult]:
    """Runs in which a book's planner makes outlines."""
    return StartedRuns(client, queue, _PLANNING)


def memory_runs(client: Client, queue: str) -> PipelineRuns[SceneMemoryInput, SceneMemoryResult]:
    """Runs that make the memories and the summary of a scene; the rounds start them."""
    return PipelineRuns(client, queue, _REMEMBERING)


def _nothing_reads() -> PenwrightError:
    return Refused(
        "nothing-reads", "no reading of this book runs", hint="`penwright book read BOOK` has it read"
    )


def _nothing_plans() -> PenwrightError:
    hint = "`penwright book plan BOOK --chapters 3` has outlines made"
    return Refused("nothing-plans", "no planning of this book runs", hint=hint)


def _nothing_remembers() -> PenwrightError:
    hint = "the next round of the scene has it remembered"
    return Refused("nothing-remembers", "no run remembers this scene", hint=hint)


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
_REMEMBERING = Pipeline(
    types=("SceneMemory",),
    run=SceneMemory.run,
    name=lambda given: given.scene,
    title=lambda given: f"Memories and summary of {given.scene}",
    shown=lambda given: remembering.progress(given, SceneMemoryState()),
    result=SceneMemoryResult,
    prefix="scene-memory/",
    thing="run",
    none=_nothing_remembers,
)
