"""Runs of the manuscript loop over a Temporal client."""

from temporalio.client import Client

from gateway.desk.engine.temporal.pipeline_runs import Pipeline, StartedRuns
from penwright.domain.manuscript.loop_status import progress
from penwright.errors import PenwrightError, Refused
from schemas.manuscript import (
    Amended,
    AmendRequest,
    ManuscriptInput,
    ManuscriptResult,
    ManuscriptState,
    StopRequest,
)
from workflows.manuscript_loop import ManuscriptLoop


class TemporalManuscripts(StartedRuns[ManuscriptInput, ManuscriptResult]):
    """Implements ``gateway.desk.engine.manuscripts.Manuscripts``."""

    def __init__(self, client: Client, queue: str) -> None:
        super().__init__(client, queue, _PIPELINE)

    async def result(self, name: str) -> ManuscriptResult:
        return await self._ended(name)

    async def stop(self, name: str, request: StopRequest) -> None:
        await self._update(name, ManuscriptLoop.stop, request)

    async def amend(self, name: str, request: AmendRequest) -> Amended:
        return await self._update(name, ManuscriptLoop.amend, request)


def _nothing() -> PenwrightError:
    return Refused(
        "nothing-runs",
        "nothing runs on this manuscript",
        hint="`penwright manuscript write NOVEL -i TEXT` begins a run",
    )


_PIPELINE = Pipeline(
    types=("ManuscriptLoop",),
    run=ManuscriptLoop.run,
    name=lambda given: given.document,
    title=lambda given: f"Manuscript {given.document}",
    shown=lambda given: progress(given, ManuscriptState()),
    result=ManuscriptResult,
    prefix="manuscript/",
    thing="run",
    none=_nothing,
)
