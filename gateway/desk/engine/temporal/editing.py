"""The editing of scenes over a Temporal client: each order is an update that starts it, or joins it."""

import asyncio
import secrets
from typing import Any

from temporalio.client import (
    Client,
    WithStartWorkflowOperation,
)
from temporalio.common import WorkflowIDConflictPolicy
from temporalio.workflow import UpdateMethodMultiParam

from gateway.desk.engine.temporal.errors import translated
from gateway.desk.engine.temporal.pipeline_runs import Answer, Order
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

_TRIES = 20
_PAUSE_S = 0.25
"""An editing that is ending is gone after a moment, but for a push that hangs."""


class TemporalEditors:
    """Implements ``gateway.desk.engine.manuscripts.Editors``."""

    def __init__(self, client: Client, queue: str) -> None:
        self._client = client
        self._queue = queue

    async def save(self, given: EditingInput, order: SaveOrder, key: str) -> TextSaved:
        return await self._ordered(given, Editing.save, order, key)

    async def restore(self, given: EditingInput, order: RestoreOrder, key: str) -> TextRestored:
        update = Editing.undo if order.kind == "undo" else Editing.rollback
        return await self._ordered(given, update, order, key)

    async def select(self, given: EditingInput, order: SelectOrder) -> Selected:
        return await self._ordered(given, Editing.select_active_intent, order, secrets.token_hex(8))

    async def edit(self, given: EditingInput, order: OperationsOrder) -> OperationsApplied:
        return await self._ordered(given, Editing.edit, order, secrets.token_hex(8))

    async def _ordered(
        self,
        given: EditingInput,
        update: UpdateMethodMultiParam[[Any, Order], Answer],
        order: Order,
        key: str,
    ) -> Answer:
        """The answer; an editing that is ending takes no order, and the next attempt starts another one."""
        for left in reversed(range(_TRIES)):
            try:
                async with translated(_gone, thing="editing"):
                    return await self._client.execute_update_with_start_workflow(
                        update, order, id=key, start_workflow_operation=self._start(given)
                    )
            except PermanentError as ended:
                if ended.code != "editing-ended" or not left:
                    raise
            await asyncio.sleep(_PAUSE_S)
        raise AssertionError("the last attempt returns or raises")

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


def _gone() -> PenwrightError:
    """The editing ended between the call and its answer."""
    return Refused("editing-ended", "the editing ended meanwhile; send it again")
