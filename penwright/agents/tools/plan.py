"""Plans: the change of a workspace that a call asks for.

A handler returns a plan in its result; the loop publishes it as one commit. A call that fails in any way has
published nothing, and every attempt of a call says what the one commit says.
"""

from collections.abc import Mapping
from typing import Protocol

from pydantic import BaseModel, ConfigDict, Field

from penwright.agents.state import StateView
from schemas.trace import MutationClass
from schemas.workspace import Operation, Published, ReadBaseline


class Plan(BaseModel):
    """One commit to be, under the intent that the agent selected."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    operations: tuple[Operation, ...] = Field(min_length=1)
    mutation: MutationClass
    seen: tuple[ReadBaseline, ...] = ()
    """Parts of the files that the agent has read; it may replace nothing else."""


class PlanPublisher(Protocol):
    """Publishes the plan of one call, once over all its attempts. All calls block."""

    def earlier(self, asked: BaseModel) -> Published | None:
        """Find what an earlier attempt with the same arguments published; ``Refused`` ``op-id-reused``."""
        ...

    def publish(self, plan: Plan, asked: BaseModel, state: StateView) -> Published:
        """Publish through the gate; a denial or conflict is a result.

        Raises:
            Refused: ``intent-not-selected``.
        """
        ...

    def files(self, published: Published) -> Mapping[str, str]:
        """Digest by path of the files that the commit changed; empty for one that it removed."""
        ...
