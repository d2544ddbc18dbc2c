"""Evals over a Temporal client: ids, starts, messages, and what their failures mean."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta

from temporalio.client import Client, WorkflowFailureError, WorkflowHandle
from temporalio.exceptions import ApplicationError, WorkflowAlreadyStartedError
from temporalio.service import RPCError, RPCStatusCode

from gateway.desk.engine.pipelines import NO_ANSWER, Message
from penwright.agents.evals.running import begun, name_of, progress
from penwright.errors import EngineUnavailable, PermanentError, Refused
from schemas.base import Progress
from schemas.control import KillRequest
from schemas.eval_run import EvalRunInput, EvalRunResult
from workers.failures import unprepared
from workflows.agents.eval_run import EvalRun
from workflows.options import TASK_TIMEOUT
from workflows.visibility import at_start

ANSWER_TIMEOUT = timedelta(seconds=5)


class TemporalEvals:
    """Implements ``EvalRuns``."""

    def __init__(self, client: Client, queue: str) -> None:
        self._client = client
        self._queue = queue

    async def start(self, given: EvalRunInput) -> bool:
        async with _translated(given.eval_id):
            try:
                await self._client.start_workflow(
                    EvalRun.run,
                    given,
                    id=name_of(given.eval_id),
                    task_queue=self._queue,
                    task_timeout=TASK_TIMEOUT,
                    static_summary=f"Eval of {given.agent} over {given.dataset_name}",
                    search_attributes=at_start(progress(given, begun(given, ""))),
                )
            except WorkflowAlreadyStartedError:
                return False
        return True

    async def result(self, eval_id: str) -> EvalRunResult:
        async with _translated(eval_id):
            try:
                return await self._handle(eval_id).result()
            except WorkflowFailureError as failure:
                return _told_result(eval_id, failure)

    async def progress(self, eval_id: str) -> Progress | None:
        async with _translated(eval_id):
            return await self._handle(eval_id).query(EvalRun.progress, rpc_timeout=ANSWER_TIMEOUT)

    async def signal(self, eval_id: str, message: Message) -> None:
        handle = self._handle(eval_id)
        async with _translated(eval_id):
            if isinstance(message, KillRequest):
                await handle.signal(EvalRun.kill, message, rpc_timeout=ANSWER_TIMEOUT)
            else:
                await handle.signal(message, rpc_timeout=ANSWER_TIMEOUT)

    def _handle(self, eval_id: str) -> WorkflowHandle[EvalRun, EvalRunResult]:
        return self._client.get_workflow_handle_for(EvalRun.run, name_of(eval_id))


@asynccontextmanager
async def _translated(eval_id: str) -> AsyncIterator[None]:
    """Temporal's errors as ours."""
    try:
        yield
    except RPCError as error:
        if lacking := unprepared(error):
            raise lacking from error
        if error.status == RPCStatusCode.NOT_FOUND:
            raise Refused(
                "nothing-runs",
                f"no eval {eval_id!r} is running",
                hint=f"`penwright eval show {eval_id}` shows what it came to",
            ) from error
        said = f"the engine or its workers did not answer: {error.message}"
        raise EngineUnavailable(NO_ANSWER, said, hint="`penwright status` shows the workers") from error


def _told_result(eval_id: str, failure: WorkflowFailureError) -> EvalRunResult:
    """The result that a failed eval carries in its failure."""
    cause = failure.cause
    if isinstance(cause, ApplicationError) and cause.details and isinstance(cause.details[0], dict):
        return EvalRunResult.model_validate(cause.details[0])
    raise PermanentError(
        "eval-ended",
        f"the eval {eval_id!r} was ended from outside: {cause or failure}",
        hint="give the same command again: samples that have a result are not run again",
    ) from failure
