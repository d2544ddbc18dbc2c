"""One trial of a model, for a caller whose own process holds no keys."""

from temporalio import workflow
from temporalio.exceptions import ActivityError
from temporalio.workflow import execute_activity_method as ask

from activities.model_trial import ModelTrialActivities
from schemas.base import Progress
from schemas.model_trial import ModelTrialOrder, ProbeReport
from workflows.failures import cause_of, error_from
from workflows.options import MODEL_TRIAL, at
from workflows.visibility import show, show_ending

PIPELINE = "model-trial"


@workflow.defn
class ModelTrial:
    """Runs as ``model-trial/<op id>``; fails with the model's own error."""

    @workflow.run
    async def run(self, order: ModelTrialOrder) -> ProbeReport:
        show(Progress(pipeline=PIPELINE, subject=order.name, stage="ask", detail=f"Trying {order.name}"))
        try:
            report = await ask(ModelTrialActivities.try_model, order, **at(order.model_queue, MODEL_TRIAL))
        except ActivityError as error:
            cause = cause_of(error)
            show_ending(PIPELINE, order.name, "failed", cause.code)
            raise error_from(cause) from error
        show_ending(PIPELINE, order.name, "answered", "")
        return report
