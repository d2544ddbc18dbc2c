"""Evals over a Temporal client."""

from temporalio.client import Client

from gateway.desk.engine.temporal.pipeline_runs import Pipeline, StartedRuns
from penwright.agents.evals.running import begun, name_of, progress
from penwright.errors import PenwrightError, PermanentError, Refused
from schemas.eval_run import EvalRunInput, EvalRunResult
from workflows.agents.eval_run import EvalRun


class TemporalEvals(StartedRuns[EvalRunInput, EvalRunResult]):
    """Implements ``EvalRuns``."""

    def __init__(self, client: Client, queue: str) -> None:
        super().__init__(client, queue, _PIPELINE)

    async def result(self, name: str) -> EvalRunResult:
        try:
            return await self._ended(name)
        except PermanentError as error:
            if error.code != "eval-ended":
                raise
            hint = "give the same command again: samples that have a result are not run again"
            raise PermanentError(error.code, error.message, hint=hint) from error


def _nothing() -> PenwrightError:
    return Refused("nothing-runs", "no such eval is running")


_PIPELINE = Pipeline(
    types=("EvalRun",),
    run=EvalRun.run,
    name=lambda given: given.eval_id,
    title=lambda given: f"Eval of {given.agent} over {given.dataset_name}",
    shown=lambda given: progress(given, begun(given, "")),
    result=EvalRunResult,
    prefix=name_of(""),
    thing="eval",
    none=_nothing,
)
