"""Citation scans over a Temporal client."""

from temporalio.client import Client

from gateway.desk.engine.temporal.executions import ANSWER_TIMEOUT
from gateway.desk.engine.temporal.pipeline_runs import Pipeline, StartedRuns
from penwright.domain.citations.scanning.status import progress
from penwright.errors import PenwrightError, Refused
from schemas.citation_scan import (
    CitationScanInput,
    CitationScanResult,
    CitationScanState,
    ScanReview,
)
from schemas.citations import CitationCounts, CitationDecision, CitationSearch
from workflows.citation_scan import CitationScan
from workflows.options import scholarly_queue


class TemporalScans(StartedRuns[CitationScanInput, CitationScanResult]):
    """Implements ``gateway.desk.engine.citations.Scans``."""

    def __init__(self, client: Client, queue: str) -> None:
        super().__init__(client, queue, _PIPELINE)

    async def start(self, given: CitationScanInput) -> bool:
        queue = scholarly_queue(self._queue)
        return await super().start(given.model_copy(update={"scholarly_queue": queue}))

    async def review(self, name: str) -> ScanReview | None:
        if not await self._is_running(name):
            return None
        async with self._translated():
            return await self._handle(name).query(CitationScan.review, rpc_timeout=ANSWER_TIMEOUT)

    async def decide(self, name: str, decision: CitationDecision) -> CitationCounts:
        return await self._update(name, CitationScan.decide, decision)

    async def search(self, name: str, wanted: CitationSearch) -> CitationCounts:
        return await self._update(name, CitationScan.search, wanted)


def _nothing() -> PenwrightError:
    return Refused(
        "no-scan-runs", "no scan runs on this manuscript", hint="`penwright cite scan NOVEL` starts one"
    )


_PIPELINE = Pipeline(
    types=("CitationScan",),
    run=CitationScan.run,
    name=lambda given: f"{given.novel}/{given.scene}",
    title=lambda given: f"Citations of {given.subject}",
    shown=lambda given: progress(given, CitationScanState()),
    result=CitationScanResult,
    prefix="citations/",
    thing="scan",
    none=_nothing,
)
