"""Readings of books over a Temporal client."""

from temporalio.client import Client

from gateway.desk.engine.temporal.pipeline_runs import Pipeline, PipelineRuns
from penwright.domain.continuity.reading import progress
from penwright.errors import PenwrightError, Refused
from schemas.continuity import ContinuityInput, ContinuityResult, ContinuityState
from workflows.continuity import BookContinuity


class TemporalReadings(PipelineRuns[ContinuityInput, ContinuityResult]):
    """Implements ``gateway.desk.engine.readings.Readings``."""

    def __init__(self, client: Client, queue: str) -> None:
        super().__init__(client, queue, _PIPELINE)

    async def start(self, given: ContinuityInput) -> bool:
        shown = progress(given, ContinuityState())
        title = f"Reading of {given.book_id}"
        return await self._begin(given.book_id, given, shown, title=title) is not None

    async def result(self, name: str) -> ContinuityResult | None:
        return None if await self._described(name) is None else await self._ended(name)


def _nothing() -> PenwrightError:
    return Refused(
        "nothing-reads", "no reading of this book runs", hint="`penwright book read BOOK` has it read"
    )


_PIPELINE = Pipeline(
    types=("BookContinuity",),
    run=BookContinuity.run,
    result=ContinuityResult,
    prefix="continuity/",
    thing="reading",
    none=_nothing,
)
