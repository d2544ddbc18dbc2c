"""The manuscript loop over a Temporal client: ids, starts, messages and what their failures mean."""

import asyncio
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager

from temporalio.client import (
    Client,
    WorkflowExecution,
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
from gateway.desk.temporal.failing_tasks import acknowledgement, with_trouble
from penwright.domain.manuscript.loop_status import progress
from penwright.errors import PenwrightError, Refused
from schemas.base import Progress
from schemas.control import KillRequest
from schemas.manuscript import (
    Amended,
    AmendRequest,
    ManuscriptInput,
    ManuscriptResult,
    ManuscriptState,
    StopRequest,
)
from workflows.manuscript_loop import ManuscriptLoop
from workflows.options import TASK_TIMEOUT
from workflows.visibility import at_start, listed_progress

_PREFIX = "manuscript/"
_RUNNING = "ExecutionStatus = 'Running' AND WorkflowType = 'ManuscriptLoop'"


class TemporalManuscripts:
    """Runs of the manuscript loop; implements ``Manuscripts``."""

    def __init__(self, client: Client, queue: str) -> None:
        self._client = client
        self._queue = queue

    async def start(self, given: ManuscriptInput) -> bool:
        async with _translated():
            try:
                await self._client.start_workflow(
                    ManuscriptLoop.run,
                    given,
                    id=f"{_PREFIX}{given.document}",
                    task_queue=self._queue,
                    task_timeout=TASK_TIMEOUT,
                    static_summary=f"Manuscript {given.document}",
                    search_attributes=at_start(progress(given, ManuscriptState())),
                )
            except WorkflowAlreadyStartedError:
                return False
        return True

    async def progress(self, name: str) -> Progress | None:
        if not await self._is_running(name):
            return None
        async with _translated():
            return await self._run(name).query(ManuscriptLoop.progress, rpc_timeout=ANSWER_TIMEOUT)

    async def running(self) -> Mapping[str, Progress]:
        async with _translated():
            found = [execution async for execution in self._client.list_workflows(_RUNNING)]
        shown = await asyncio.gather(*(self._shown(execution) for execution in found))
        names = [execution.id.removeprefix(_PREFIX) for execution in found]
        return {name: each for name, each in zip(names, shown, strict=True) if each is not None}

    async def result(self, name: str) -> ManuscriptResult:
        async with _translated():
            try:
                return await self._run(name).result()
            except WorkflowFailureError as failure:
                if (ending := told_result(failure, ManuscriptResult)) is not None:
                    return ending
                raise

    async def signal(self, name: str, message: Message) -> Acknowledgement:
        if not await self._is_running(name):
            return Acknowledgement(found="nothing")
        handle = self._run(name)
        async with _translated():
            if isinstance(message, KillRequest):
                await handle.signal(ManuscriptLoop.kill, message, rpc_timeout=ANSWER_TIMEOUT)
            else:
                await handle.signal(message, rpc_timeout=ANSWER_TIMEOUT)
        heard = await self._has_heard(name)
        return await acknowledgement(self._client, f"{_PREFIX}{name}", self._queue, heard=heard)

    async def stop(self, name: str, request: StopRequest) -> None:
        async with _translated():
            await self._run(name).execute_update(ManuscriptLoop.stop, request, rpc_timeout=ANSWER_TIMEOUT)

    async def amend(self, name: str, request: AmendRequest) -> Amended:
        async with _translated():
            return await self._run(name).execute_update(
                ManuscriptLoop.amend, request, rpc_timeout=ANSWER_TIMEOUT
            )

    async def _shown(self, execution: WorkflowExecution) -> Progress | None:
        """What a listed run says of itself, or, while no worker answers, what the list says."""
        name = execution.id.removeprefix(_PREFIX)
        try:
            told = await self._run(name).query(ManuscriptLoop.progress, rpc_timeout=ANSWER_TIMEOUT)
        except (RPCError, WorkflowQueryFailedError):
            listed = listed_progress(execution.typed_search_attributes, name)
            return await with_trouble(listed, self._client, execution.id, self._queue)
        return None if told.ended else told

    async def _has_heard(self, name: str) -> bool:
        # A query is answered after every signal before it, so an answer is the acknowledgement.
        try:
            await self._run(name).query(ManuscriptLoop.progress, rpc_timeout=ANSWER_TIMEOUT)
        except (RPCError, WorkflowQueryFailedError):
            return not await self._is_running(name)
        return True

    async def _is_running(self, name: str) -> bool:
        async with _translated():
            found = await described(self._client, f"{_PREFIX}{name}")
        return found is not None and found.status == WorkflowExecutionStatus.RUNNING

    def _run(self, name: str) -> WorkflowHandle[ManuscriptLoop, ManuscriptResult]:
        return self._client.get_workflow_handle_for(ManuscriptLoop.run, f"{_PREFIX}{name}")


def _nothing() -> PenwrightError:
    return Refused(
        "nothing-runs",
        "nothing runs on this manuscript",
        hint="`penwright manuscript write` begins a run",
    )


def _translated() -> AbstractAsyncContextManager[None]:
    return translated(_nothing, thing="run")
