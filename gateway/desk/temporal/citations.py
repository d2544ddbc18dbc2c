"""Citation scans over a Temporal client: ids, starts, messages and what their failures mean."""

from contextlib import AbstractAsyncContextManager

from temporalio.client import (
    Client,
    WorkflowExecutionStatus,
    WorkflowFailureError,
    WorkflowHandle,
    WorkflowQueryFailedError,
)
from temporalio.exceptions import WorkflowAlreadyStartedError
from temporalio.service import RPCError

from gateway.desk.pipelines import Acknowledgement, Message
from gateway.desk.temporal.errors import translated
from gateway.desk.temporal.executions import ANSWER_TIMEOUT, described, told_result
from gateway.desk.temporal.failing_tasks import acknowledgement
from penwright.domain.citations.scanning.status import progress, workflow_id
from penwright.errors import PenwrightError, Refused
from schemas.base import Progress
from schemas.citation_scan import (
    CitationScanInput,
    CitationScanResult,
    CitationScanState,
    ScanReview,
)
from schemas.citations import CitationCounts, CitationDecision, CitationSearch
from schemas.control import KillRequest
from workflows.citation_scan import CitationScan
from workflows.options import TASK_TIMEOUT, scholarly_queue
from workflows.visibility import at_start

_PREFIX = "citations/"
_RUNNING = "ExecutionStatus = 'Running' AND WorkflowType = 'CitationScan'"


class TemporalScans:
    """Implements ``gateway.desk.citations.scans.Scans``."""

    def __init__(self, client: Client, queue: str) -> None:
        self._client = client
        self._queue = queue

    async def start(self, given: CitationScanInput) -> bool:
        given = given.model_copy(update={"scholarly_queue": scholarly_queue(self._queue)})
        async with _translated():
            try:
                await self._client.start_workflow(
                    CitationScan.run,
                    given,
                    id=workflow_id(given),
                    task_queue=self._queue,
                    task_timeout=TASK_TIMEOUT,
                    static_summary=f"Citations of {given.subject}",
                    search_attributes=at_start(progress(given, CitationScanState())),
                )
            except WorkflowAlreadyStartedError:
                return False
        return True

    async def progress(self, name: str) -> Progress | None:
        if await self._status(name) != WorkflowExecutionStatus.RUNNING:
            return None
        async with _translated():
            told = await self._scan(name).query(CitationScan.progress, rpc_timeout=ANSWER_TIMEOUT)
        return None if told.ended else told

    async def running(self) -> tuple[str, ...]:
        async with _translated():
            found = [each.id async for each in self._client.list_workflows(_RUNNING)]
        return tuple(each.removeprefix("citations/") for each in found)

    async def result(self, name: str) -> CitationScanResult | None:
        if await self._status(name) is None:
            return None
        async with _translated():
            try:
                return await self._scan(name).result()
            except WorkflowFailureError as failure:
                if (ending := told_result(failure, CitationScanResult)) is not None:
                    return ending
                raise

    async def review(self, name: str) -> ScanReview | None:
        if await self._status(name) != WorkflowExecutionStatus.RUNNING:
            return None
        async with _translated():
            return await self._scan(name).query(CitationScan.review, rpc_timeout=ANSWER_TIMEOUT)

    async def decide(self, name: str, decision: CitationDecision) -> CitationCounts:
        async with _translated():
            return await self._scan(name).execute_update(
                CitationScan.decide, decision, rpc_timeout=ANSWER_TIMEOUT
            )

    async def search(self, name: str, wanted: CitationSearch) -> CitationCounts:
        async with _translated():
            return await self._scan(name).execute_update(
                CitationScan.search, wanted, rpc_timeout=ANSWER_TIMEOUT
            )

    async def signal(self, name: str, message: Message) -> Acknowledgement:
        if await self._status(name) != WorkflowExecutionStatus.RUNNING:
            return Acknowledgement(found="nothing")
        async with _translated():
            if isinstance(message, KillRequest):
                await self._scan(name).signal(CitationScan.kill, message, rpc_timeout=ANSWER_TIMEOUT)
            else:
                await self._scan(name).signal(message, rpc_timeout=ANSWER_TIMEOUT)
        heard = await self._has_heard(name)
        return await acknowledgement(self._client, f"{_PREFIX}{name}", self._queue, heard=heard)

    async def _has_heard(self, name: str) -> bool:
        # A query is answered after every signal before it, so an answer is the acknowledgement.
        try:
            await self._scan(name).query(CitationScan.progress, rpc_timeout=ANSWER_TIMEOUT)
        except (RPCError, WorkflowQueryFailedError):
            return await self._status(name) != WorkflowExecutionStatus.RUNNING
        return True

    async def _status(self, name: str) -> WorkflowExecutionStatus | None:
        """None if there never was a scan."""
        async with _translated():
            found = await described(self._client, f"{_PREFIX}{name}")
        return found.status if found else None

    def _scan(self, name: str) -> WorkflowHandle[CitationScan, CitationScanResult]:
        return self._client.get_workflow_handle_for(CitationScan.run, f"{_PREFIX}{name}")


def _nothing() -> PenwrightError:
    return Refused("no-scan-runs", "no scan runs on this manuscript", hint="`penwright cite scan` starts one")


def _translated() -> AbstractAsyncContextManager[None]:
    return translated(_nothing, thing="scan")
