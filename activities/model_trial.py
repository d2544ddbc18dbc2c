"""Trying a model out, in the process that holds the vendors' keys."""

from dataclasses import dataclass

from temporalio import activity

from penwright.ports.models import ModelProbes
from schemas.model_trial import ModelTrialOrder, ProbeReport


@dataclass(frozen=True)
class ModelTrialActivities:
    """Activities for the model worker. A trial is attempted once: a vendor bills each."""

    models: ModelProbes

    @activity.defn
    async def try_model(self, order: ModelTrialOrder) -> ProbeReport:
        """Ask the model what its roles will ask."""
        return await self.models.probe(order.name, order.effect, timeout_s=order.timeout_s)
