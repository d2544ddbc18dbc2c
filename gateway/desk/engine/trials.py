"""Port: trials of models."""

from typing import Protocol

from schemas.model_trial import ModelTrialOrder, ProbeReport


class Trials(Protocol):
    """Trials of models as the desk orders them, in the process that holds the vendors' keys."""

    async def tried(self, order: ModelTrialOrder) -> ProbeReport:
        """Carry an order out once, however often it is given; raises what the model's first answer was."""
        ...
