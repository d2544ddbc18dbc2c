"""The editing of scenes over a Temporal client: each order is an update that starts it, or joins it."""

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from typing import TypeVar

from temporalio.client import (
    Client,
    WithStartWorkflowOperation,
)
from temporalio.common import WorkflowIDConflictPolicy

from gateway.desk.engine.temporal.errors import translated
from penwright.domain.manuscript.editing import progress
from penwright.domain.manuscript.identity import scene_workflow
from penwright.errors import PenwrightError, PermanentError, Refused
from schemas.base import BookId
from schemas.editing import (
    EditingInput,
    EditingResult,
    EditingState,
    OperationsOrder,
    RestoreOrder,
    SaveOrder,
    SelectOrder,
)
from schemas.intents import Selected
from schemas.manuscript_text import OperationsApplied, TextRestored, TextSaved
from workflows.editing import Editing
from workflows.options import TASK_TIMEOUT
from workflows.visibility import at_start

_T = TypeVar("_T")
_TRIES = 20
_PAUSE_S = 0.25
"""An editing that is ending is gone after a moment, but for a push that hangs."""


class TemporalEditors:
    """Implements ``gateway.desk.engine.manuscripts.Editors``."""

    def __init__(self, client: Client, queue: str) -> None:
        self._client = client
        self._queue = queue

    async def save(self, given: EditingInput, order: SaveOrder, key: str) -> TextSaved:
        async def attempt() -> TextSaved:
            return await self._client.execute_update_with_start_workflow(
                Editing.save, order, id=key, start_workflow_operation=self._start(given)
            )

        return await _when_taken(attempt)

    async def restore(self, given: EditingInput, order: RestoreOrder, key: str) -> TextRestored:
        update = Editing.undo if order.kind == "undo" else Editing.rollback

        async def attempt() -> TextRestored:
            return await self._client.execute_update_with_start_workflow(
                update, order, id=key, start_workflow_operation=self._start(given)
            )

        return await _when_taken(attempt)

    async def select(self, given: EditingInput, order: SelectOrder) -> Selected:
        key = secrets.token_hex(8)

        async def attempt() -> Selected:
            return await self._client.execute_update_with_start_workflow(
                Editing.select_active_intent, order, id=key, start_workflow_operation=self._start(given)
            )

        return await _when_taken(attempt)

    async def edit(self, given: EditingInput, order: OperationsOrder) -> OperationsApplied:
        key = secrets.token_hex(8)

        async def attempt() -> OperationsApplied:
            return await self._client.execute_update_with_start_workflow(
                Editing.edit, order, id=key, start_workflow_operation=self._start(given)
            )

        return await _when_taken(attempt)

    def _start(self, given: EditingInput) -> WithStartWorkflowOperation[Editing, EditingResult]:
        return WithStartWorkflowOperation(
            Editing.run,
            given,
            id=scene_workflow("editing", BookId(given.novel_id), given.scene),
            id_conflict_policy=WorkflowIDConflictPolicy.USE_EXISTING,
            task_queue=self._queue,
            task_timeout=TASK_TIMEOUT,
            static_summary=f"Editing of {given.scene} in {given.novel_id}",
            search_attributes=at_start(progress(given, EditingState())),
        )


async def _when_taken(attempt: Callable[[], Awaitable[_T]]) -> _T:
    """The answer; an editing that is ending takes no order, and the next attempt starts another one."""
    for left in reversed(range(_TRIES)):
        try:
            async with translated(_gone, thing="editing"):
                return await attempt()
        except PermanentError as ended:
            if ended.code != "editing-ended" or not left:
                raise
        await asyncio.sleep(_PAUSE_S)
    raise AssertionError("the last attempt returns or raises")


def _gone() -> PenwrightError:
    """The editing ended between the call and its answer."""
    return Refused("editing-ended", "the editing ended meanwhile; send it again")
