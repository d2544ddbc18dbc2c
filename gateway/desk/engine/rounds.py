"""Port: director rounds."""

from collections.abc import Mapping
from typing import Protocol

from gateway.desk.engine.pipelines import Acknowledgement, Message
from schemas.base import Progress
from schemas.control import KillRequest
from schemas.director import PlanApproval, Steering
from schemas.director_round import DirectorRoundInput, DirectorRoundResult


class Rounds(Protocol):
    """Director rounds as commands see them; a scene has at most one that runs."""

    async def start(self, given: DirectorRoundInput) -> bool:
        """Start a round; False if one runs already, which is left as it is."""
        ...

    async def remember(self, scene: str, session: str) -> None:
        """Have a scene remembered and summed up beside its rounds; harmless to repeat."""
        ...

    async def session(self, scene: str) -> str:
        """The session of the round that runs; empty when none does."""
        ...

    async def progress(self, scene: str) -> Progress | None:
        """Progress of the round; None when none runs."""
        ...

    async def running(self) -> Mapping[str, Progress]:
        """Progress of every round that runs, by scene; without a worker, only its stage."""
        ...

    async def result(self, scene: str, session: str = "") -> DirectorRoundResult | None:
        """Wait for the end of the round of ``session``, or of the latest one; None if there was none."""
        ...

    async def signal(self, scene: str, message: Message) -> Acknowledgement:
        """Kill, pause or resume a round and wait for the acknowledgement."""
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
