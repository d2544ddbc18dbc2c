"""Readings and plannings of books over a Temporal client."""

from collections.abc import Callable
from typing import TypeVar

from temporalio.client import Client

from gateway.desk.engine.temporal.pipeline_runs import Pipeline, PipelineRuns
from penwright.domain.book import plan_run
from penwright.domain.continuity import reading
from penwright.errors import PenwrightError, Refused
from schemas.base import Progress
from schemas.continuity import ContinuityInput, ContinuityResult, ContinuityState
from schemas.planning import PlanningInput, PlanningResult, PlanningState
from schemas.side_run import SideRunInput, SideRunResult
from workflows.continuity import BookContinuity
from workflows.planning import BookPlanning

Given = TypeVar("Given", bound=SideRunInput)
Result = TypeVar("Result", bound=SideRunResult)


class TemporalSideRuns(PipelineRuns[Given, Result]):
    """Implements ``gateway.desk.engine.side_runs.SideRuns``."""

    def __init__(
        self,
        client: Client,
        queue: str,
        pipeline: Pipeline[Given, Result],
        shown: Callable[[Given], Progress],
    ) -> None:
        """``shown``: how lists show a run until it answers."""
        super().__init__(client, queue, pipeline)
        self._shown_at_start = shown

    async def start(self, given: Given) -> bool:
        return await self._started(given) is not None

    async def want(self, given: Given) -> None:
        await self._started(given, signal="wanted")

    async def _started(self, given: Given, signal: str | None = None) -> object:
        title = f"{self._pipeline.thing.capitalize()} of {given.book_id}"
        return await self._begin(
            given.book_id, given, self._shown_at_start(given), title=title, signal=signal
        )

    async def result(self, name: str) -> Result | None:
        return None if await self._described(name) is None else await self._ended(name)


def readings(client: Client, queue: str) -> TemporalSideRuns[ContinuityInput, ContinuityResult]:
    """Runs in which a book's clerk reads it."""
    return TemporalSideRuns(client, queue, _READING, lambda given: reading.progress(given, ContinuityState()))


def plannings(client: Client, queue: str) -> TemporalSideRuns[PlanningInput, PlanningResult]:
    """Runs in which a book's planner makes outlines."""
    return TemporalSideRuns(client, queue, _PLANNING, lambda given: plan_run.progress(given, PlanningState()))


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
    result=ContinuityResult,
    prefix="continuity/",
    thing="reading",
    none=_nothing_reads,
)
_PLANNING = Pipeline(
    types=("BookPlanning",),
    run=BookPlanning.run,
    result=PlanningResult,
    prefix="planning/",
    thing="planning",
    none=_nothing_plans,
)
