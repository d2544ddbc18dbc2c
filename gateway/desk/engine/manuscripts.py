"""Ports: runs on manuscripts, their editing, their approvals."""

from collections.abc import Mapping
from typing import Protocol

from gateway.desk.engine.pipelines import StartedRuns
from schemas.base import BookId
from schemas.editing import EditingInput, OperationsOrder, RestoreOrder, SaveOrder, SelectOrder
from schemas.intents import ApprovalDecision, ApprovalRequest, Selected
from schemas.manuscript import (
    Amended,
    AmendRequest,
    ManuscriptInput,
    ManuscriptResult,
    StopRequest,
)
from schemas.manuscript_text import OperationsApplied, TextRestored, TextSaved


class Manuscripts(StartedRuns[ManuscriptInput, ManuscriptResult], Protocol):
    """The manuscript loop as commands see it; ``name`` is ``<novel>/<scene>``."""

    async def result(self, name: str, /) -> ManuscriptResult:
        """Wait for the running or latest run to end; ``Refused`` ``nothing-runs`` if there was none."""
        ...

    async def stop(self, name: str, request: StopRequest) -> None:
        """End a run after the call in hand; ``Refused`` ``nothing-runs``."""
        ...

    async def amend(self, name: str, request: AmendRequest) -> Amended:
        """Give a run other instructions; ``Refused`` ``nothing-runs``."""
        ...


class Editors(Protocol):
    """The editing of scenes as the desk sees it; each call starts it, or joins the one that runs.

    ``key`` names an order: sent again under the same one, it is carried out once and answered the same, as
    long as that editing runs. All raise ``EngineUnavailable`` if nothing answers.
    """

    async def save(self, given: EditingInput, order: SaveOrder, key: str) -> TextSaved: ...

    async def restore(self, given: EditingInput, order: RestoreOrder, key: str) -> TextRestored: ...

    async def select(self, given: EditingInput, order: SelectOrder) -> Selected:
        """An outside agent selects its intent; ``Refused`` by the rules of intents, or ``other-session``."""
        ...

    async def edit(self, given: EditingInput, order: OperationsOrder) -> OperationsApplied:
        """An outside agent's operations; ``Refused`` ``intent-not-selected`` or ``other-session``."""
        ...


class SceneApprovals(Protocol):
    """The runs on a novel's scenes that wait for a person."""

    async def waiting(self, novel: BookId) -> Mapping[str, ApprovalRequest]:
        """List the approvals that wait, by scene."""
        ...

    async def decide(self, novel: BookId, scene: str, decision: ApprovalDecision) -> None:
        """Answer the run on a scene; ``Refused`` if that does not wait for it."""
        ...
