"""Director rounds over a Temporal client: ids, starts, messages and what their failures mean."""

import asyncio
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager

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

from gateway.desk.pipelines import Acknowledgement, Message
from gateway.desk.temporal.errors import translated
from gateway.desk.temporal.executions import ANSWER_TIMEOUT, described, told_result
from gateway.desk.temporal.failing_tasks import acknowledgement, with_trouble
from penwright.domain.scene.round_status import progress
from penwright.errors import PenwrightError, Refused
from schemas.base import Progress
from schemas.control import KillRequest
from schemas.director import PlanApproval, Steering
from schemas.director_round import DirectorRoundInput, DirectorRoundResult, DirectorRoundState
from workflows.director_round import DirectorRound
from workflows.options import TASK_TIMEOUT
from workflows.visibility import at_start, listed_progress

_PREFIX = "scene/"
_RUNNING = "ExecutionStatus = 'Running' AND WorkflowType = 'DirectorRound'"
_SESSION = "session"


class TemporalRounds:
    """Implements ``gateway.desk.scene.rounds.Rounds``."""

    def __init__(self, client: Client, queue: str) -> None:
        self._client = client
        self._queue = queue
        self._started: dict[str, str | None] = {}
        """Temporal's run ids of the sessions that were started here."""

    async def start(self, given: DirectorRoundInput) -> bool:
        async with _translated():
            try:
                handle = await self._client.start_workflow(
                    DirectorRound.run,
                    given,
                    id=f"{_PREFIX}{given.scene}",
                    task_queue=self._queue,
                    task_timeout=TASK_TIMEOUT,
                    static_summary=f"Scene {given.scene}",
                    memo={_SESSION: given.session},
                    search_attributes=at_start(progress(given, DirectorRoundState())),
                )
            except WorkflowAlreadyStartedError:
                return False
        self._started[given.session] = handle.result_run_id
        return True

    async def session(self, scene: str) -> str:
        found = await self._described(scene)
        if found is None or found.status != WorkflowExecutionStatus.RUNNING:
            return ""
        return str(await found.memo_value(_SESSION, ""))

    async def progress(self, scene: str) -> Progress | None:
        if not await self._is_running(scene):
            return None
        async with _translated():
            told = await self._round(scene).query(DirectorRound.progress, rpc_timeout=ANSWER_TIMEOUT)
        return None if told.ended else told

    async def running(self) -> Mapping[str, Progress]:
        async with _translated():
            found = [execution async for execution in self._client.list_workflows(_RUNNING)]
        shown = await asyncio.gather(*(self._shown(execution) for execution in found))
        names = [execution.id.removeprefix(_PREFIX) for execution in found]
        return {name: each for name, each in zip(names, shown, strict=True) if each is not None}

    async def result(self, scene: str, session: str = "") -> DirectorRoundResult | None:
        if not session and await self._described(scene) is None:
            return None
        handle = self._round(scene, self._started.get(session))
        async with _translated():
            try:
                return await handle.result()
            except WorkflowFailureError as failure:
                if (ending := told_result(failure, DirectorRoundResult)) is not None:
                    return ending
                raise

    async def signal(self, scene: str, message: Message) -> Acknowledgement:
        if not await self._is_running(scene):
            return Acknowledgement(found="nothing")
        handle = self._round(scene)
        async with _translated():
            if isinstance(message, KillRequest):
                await handle.signal(DirectorRound.kill, message, rpc_timeout=ANSWER_TIMEOUT)
            else:
                await handle.signal(message, rpc_timeout=ANSWER_TIMEOUT)
        heard = await self._has_heard(scene)
        return await acknowledgement(self._client, f"{_PREFIX}{scene}", self._queue, heard=heard)

    async def halt(self, scene: str, request: KillRequest) -> None:
        async with _translated():
            await self._round(scene).execute_update(DirectorRound.halt, request, rpc_timeout=ANSWER_TIMEOUT)

    async def steer(self, scene: str, asked: Steering) -> None:
        async with _translated():
            await self._round(scene).execute_update(DirectorRound.steer, asked, rpc_timeout=ANSWER_TIMEOUT)

    async def approve_plan(self, scene: str, approval: PlanApproval) -> None:
        async with _translated():
            await self._round(scene).execute_update(
                DirectorRound.approve_plan, approval, rpc_timeout=ANSWER_TIMEOUT
            )

    async def _shown(self, execution: WorkflowExecution) -> Progress | None:
        """What a listed round says of itself, or, while no worker answers, what the list says."""
        scene = execution.id.removeprefix(_PREFIX)
        try:
            told = await self._round(scene).query(DirectorRound.progress, rpc_timeout=ANSWER_TIMEOUT)
        except (RPCError, WorkflowQueryFailedError):
            listed = listed_progress(execution.typed_search_attributes, scene)
            return await with_trouble(listed, self._client, execution.id, self._queue)
        return None if told.ended else told

    async def _has_heard(self, scene: str) -> bool:
        # A query is answered after every signal before it, so an answer is the acknowledgement.
        try:
            await self._round(scene).query(DirectorRound.progress, rpc_timeout=ANSWER_TIMEOUT)
        except (RPCError, WorkflowQueryFailedError):
            return not await self._is_running(scene)
        return True

    async def _is_running(self, scene: str) -> bool:
        found = await self._described(scene)
        return found is not None and found.status == WorkflowExecutionStatus.RUNNING

    async def _described(self, scene: str) -> WorkflowExecutionDescription | None:
        """None if no round of the scene was ever started, or if Temporal has forgotten it."""
        async with _translated():
            return await described(self._client, f"{_PREFIX}{scene}")

    def _round(
        self, scene: str, run: str | None = None
    ) -> WorkflowHandle[DirectorRound, DirectorRoundResult]:
        return self._client.get_workflow_handle_for(DirectorRound.run, f"{_PREFIX}{scene}", run_id=run)


def _nothing() -> PenwrightError:
    return Refused(
        "no-round-runs", "no round runs in this scene", hint="`penwright scene say ID TEXT` begins one"
    )


def _translated() -> AbstractAsyncContextManager[None]:
    return translated(_nothing, thing="round")
