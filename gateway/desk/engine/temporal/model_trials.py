"""Trials of models over a Temporal client."""

from temporalio.client import Client
from temporalio.common import WorkflowIDConflictPolicy

from gateway.desk.engine.temporal.errors import translated
from penwright.errors import NotFound
from schemas.model_trial import ModelTrialOrder, ProbeReport
from workflows.model_trial import ModelTrial
from workflows.options import TASK_TIMEOUT


class TemporalTrials:
    """Implements ``gateway.desk.engine.connection.Trials``."""

    def __init__(self, client: Client, queue: str) -> None:
        self._client = client
        self._queue = queue

    async def tried(self, order: ModelTrialOrder) -> ProbeReport:
        async with translated(_gone, thing="trial"):
            return await self._client.execute_workflow(
                ModelTrial.run,
                order,
                id=f"model-trial/{order.effect.op_id}",
                task_queue=self._queue,
                task_timeout=TASK_TIMEOUT,
                id_conflict_policy=WorkflowIDConflictPolicy.USE_EXISTING,
                static_summary=f"Trying the model {order.name}",
            )


def _gone() -> NotFound:
    return NotFound("no-such-trial", "the trial is not there any more")
