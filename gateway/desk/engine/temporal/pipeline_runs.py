"""Common handling of the runs of every pipeline: ask for state and result, pause, resume, end."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pydantic import BaseModel
from temporalio.client import (
    Client,
    WorkflowExecution,
    WorkflowExecutionDescription,
    WorkflowExecutionStatus,
    WorkflowFailureError,
    WorkflowHandle,
    WorkflowQueryFailedError,
)
from temporalio.exceptions import WorkflowAlreadyStartedError
from temporalio.service import RPCError
from temporalio.workflow import UpdateMethodMultiParam

from gateway.desk.engine.pipelines import Acknowledgement, Message
from gateway.desk.engine.temporal import free_space
from gateway.desk.engine.temporal.errors import translated
from gateway.desk.engine.temporal.executions import ANSWER_TIMEOUT, described, ended, hears, send
from gateway.desk.engine.temporal.failing_tasks import acknowledgement, with_trouble
from gateway.desk.engine.temporal.steps_under_way import arriving, retried
from penwright.errors import PenwrightError
from schemas.base import Progress
from workflows.options import TASK_TIMEOUT
from workflows.steering import Steered
from workflows.visibility import at_start, listed_progress

_LAST = ("end", "ended")
"""Stages of a run that does its last step."""
_CLOSING_S = 15.0
"""Seconds for which the last step is awaited."""

Given = TypeVar("Given", bound=BaseModel)
Result = TypeVar("Result", bound=BaseModel)
Order = TypeVar("Order")
Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class Pipeline(Generic[Given, Result]):
    """Names and workflow types of a pipeline's runs."""

    types: tuple[str, ...]
    """Temporal's names of the workflows that hold its ids."""
    run: Callable[[Any, Given], Awaitable[Result]]
    """The ``run`` of its workflow, which answers as ``Steered`` does."""
    name: Callable[[Given], str]
    """The name of the run that an input starts."""
    title: Callable[[Given], str]
    """Its title in Temporal's UI."""
    shown: Callable[[Given], Progress]
    """Its row in lists until it answers."""
    result: type[Result]
    prefix: str
    """Beginning of its runs' ids, such as ``scene/``; the name of the run follows."""
    thing: str
    """Word for a run to people, such as ``round``."""
    none: Callable[[], PenwrightError]
    """Makes the error for a message to a run that is not there."""


class PipelineRuns(Generic[Given, Result]):
    """The runs of one pipeline over a Temporal client; one runs at a time under each name.

    All raise ``EngineUnavailable`` if Temporal or the workers do not answer.
    """

    def __init__(self, client: Client, queue: str, pipeline: Pipeline[Given, Result]) -> None:
        self._client = client
        self._queue = queue
        self._pipeline = pipeline

    async def progress(self, name: str) -> Progress | None:
        """Progress of a run; None when none runs."""
        found = await self._described(name)
        if found is None or found.status != WorkflowExecutionStatus.RUNNING:
            return None
        async with self._translated():
            answer = await self._handle(name).query(Steered.progress, rpc_timeout=ANSWER_TIMEOUT)
        return None if answer.ended else await self._with_waits(answer, found)

    async def running(self) -> Mapping[str, Progress]:
        """Progress of every run, by name; without a worker, only its stage."""
        types = ", ".join(f"'{each}'" for each in self._pipeline.types)
        running = f"ExecutionStatus = 'Running' AND WorkflowType IN ({types})"
        async with self._translated():
            found = [execution async for execution in self._client.list_workflows(running)]
        shown = await asyncio.gather(*(self._shown(execution) for execution in found))
        return {self._name(each): progress for each, progress in zip(found, shown, strict=True) if progress}

    async def signal(self, name: str, message: Message) -> Acknowledgement:
        """Kill, pause or resume a run, and wait for the acknowledgement."""
        if not await self._is_running(name):
            return Acknowledgement(found="nothing")
        async with self._translated():
            await send(self._handle(name), message)
        heard = await hears(self._handle(name)) or not await self._is_running(name)
        return await acknowledgement(self._client, self._id(name), self._queue, heard=heard)

    async def _begin(
        self,
        given: Given,
        *,
        name: str = "",
        memo: Mapping[str, str] | None = None,
        signal: str | None = None,
    ) -> WorkflowHandle[Any, Result] | None:
        """Start a run; None if one runs already, which is left as it is; one in its last step is awaited.

        Args:
            name: of the run; empty: as the pipeline calls it.
            memo: what Temporal keeps beside it.
            signal: sent to the run, also to one that runs already.
        """
        name = name or self._pipeline.name(given)
        async with self._translated():
            begun = await self._try_to_start(name, given, memo, signal)
            if begun is None and await self._closes(name):
                begun = await self._try_to_start(name, given, memo)
            return begun

    async def _try_to_start(
        self,
        name: str,
        given: Given,
        memo: Mapping[str, str] | None = None,
        signal: str | None = None,
    ) -> WorkflowHandle[Any, Result] | None:
        try:
            return await self._client.start_workflow(
                self._pipeline.run,
                given,
                id=self._id(name),
                task_queue=self._queue,
                task_timeout=TASK_TIMEOUT,
                static_summary=self._pipeline.title(given),
                memo=memo,
                search_attributes=at_start(self._pipeline.shown(given)),
                start_signal=signal,
            )
        except WorkflowAlreadyStartedError:
            return None

    async def _closes(self, name: str) -> bool:
        """Whether the run does its last step, after which lists call it ended, and closes within seconds."""
        handle = self._handle(name)
        try:
            answer = await handle.query(Steered.progress, rpc_timeout=ANSWER_TIMEOUT)
            if not answer.ended and answer.stage not in _LAST:
                return False
            await asyncio.wait_for(handle.result(), _CLOSING_S)
        except WorkflowFailureError:
            return True
        except (RPCError, WorkflowQueryFailedError, TimeoutError):
            return False
        return True

    async def _update(
        self, name: str, update: UpdateMethodMultiParam[[Any, Order], Answer], order: Order
    ) -> Answer:
        """Send an order to a run and return its answer."""
        async with self._translated():
            return await self._handle(name).execute_update(update, order, rpc_timeout=ANSWER_TIMEOUT)

    async def _ended(self, name: str, run_id: str | None = None) -> Result:
        """Wait for the end of the running or latest run, or of the one with Temporal's ``run_id``."""
        async with self._translated():
            return await ended(self._handle(name, run_id), self._pipeline.result)

    async def _shown(self, execution: WorkflowExecution) -> Progress | None:
        """Ask a listed run for its progress; while no worker answers, take the list's."""
        name = self._name(execution)
        try:
            answer = await self._handle(name).query(Steered.progress, rpc_timeout=ANSWER_TIMEOUT)
            answer = await self._with_waits(answer, await described(self._client, execution.id))
        except (RPCError, WorkflowQueryFailedError):
            listed = listed_progress(execution.typed_search_attributes, name)
            return await with_trouble(listed, self._client, execution.id, self._queue)
        return None if answer.ended else answer

    async def _is_running(self, name: str) -> bool:
        found = await self._described(name)
        return found is not None and found.status == WorkflowExecutionStatus.RUNNING

    async def _described(self, name: str) -> WorkflowExecutionDescription | None:
        """None if there never was a run of this name, or if Temporal has forgotten it."""
        async with self._translated():
            return await described(self._client, self._id(name))

    def _handle(self, name: str, run_id: str | None = None) -> WorkflowHandle[Any, Result]:
        return self._client.get_workflow_handle(
            self._id(name), run_id=run_id, result_type=self._pipeline.result
        )

    def _id(self, name: str) -> str:
        return f"{self._pipeline.prefix}{name}"

    def _name(self, execution: WorkflowExecution) -> str:
        return execution.id.removeprefix(self._pipeline.prefix)

    def _translated(self) -> AbstractAsyncContextManager[None]:
        return translated(self._pipeline.none, thing=self._pipeline.thing)

    async def _with_waits(self, answer: Progress, found: WorkflowExecutionDescription | None) -> Progress:
        """Add to a run's progress what it does not know: the state of its step under way."""
        waits = free_space.with_disk_wait(answer, found)
        if waits is not answer:
            return waits
        return await arriving(retried(answer, found), found, self._client.data_converter)


class StartedRuns(PipelineRuns[Given, Result]):
    """Implements ``StartedRuns`` and ``SideRuns`` of ``gateway.desk.engine``, for whatever pipeline."""

    async def start(self, given: Given) -> bool:
        return await self._begin(given) is not None

    async def want(self, given: Given) -> None:
        await self._begin(given, signal="wanted")

    async def result(self, name: str) -> Result | None:
        return None if await self._described(name) is None else await self._ended(name)
