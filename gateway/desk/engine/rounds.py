"""Port: director rounds."""

from typing import Protocol

from gateway.desk.engine.pipelines import Runs
from schemas.control import KillRequest
from schemas.director import PlanApproval, Steering
from schemas.director_round import DirectorRoundInput, DirectorRoundResult


class Rounds(Runs, Protocol):
    """Director rounds as commands see them; a run is named by its scene."""

    async def start(self, given: DirectorRoundInput) -> bool:
        """Start a round; False if one runs already, which is left as it is."""
        ...

    async def remember(self, scene: str, session: str) -> None:
        """Have a scene remembered and summed up beside its rounds; harmless to repeat."""
        ...

    async def session(self, scene: str) -> str:
        """The session of the round that runs; empty when none does."""
        ...

    async def result(self, scene: str, session: str = "") -> DirectorRoundResult | None:
        """Wait for the end of the round of ``session``, or of the latest one; None if there was none."""
        ...

    async def halt(self, scene: str, request: KillRequest) -> None:
        """End a round: what is spoken stays, no further character acts; ``Refused`` ``no-round-runs``."""
        ...

    async def steer(self, scene: str, asked: Steering) -> None:
        """Force or veto speakers of a round; ``Refused`` ``no-round-runs``."""
        ...

    async def approve_plan(self, scene: str, approval: PlanApproval) -> None:
        """Play the plan that is held; ``Refused`` ``no-round-runs``, ``no-plan-held`` and so on."""
        ...
