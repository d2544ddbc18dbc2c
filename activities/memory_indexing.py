"""Brings vectors to memories that have none of the present model, and has that done in the background."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Final

from temporalio import activity
from temporalio.client import Client

from activities.run_log import run_end
from penwright.domain.control import shown_outcome
from penwright.domain.models.usage import total
from penwright.domain.scene.indexing import PIPELINE, run_name
from penwright.ports.records import Records
from penwright.ports.scenes import Embeddings, Memories
from schemas.memory import Charge, Memory
from schemas.memory_indexing import (
    SUBJECT,
    WORKFLOW_ID,
    EndIndexing,
    Indexed,
    IndexingInput,
    IndexMemories,
)
from schemas.model import BudgetScope, Usage
from schemas.records import Event, RunRow

AT_ONCE: Final = 64
"""Memories that get vectors at once: one request to a vendor."""
_PATIENCE_S = 20.0
"""Time one step goes on before its workflow counts what is left."""


@dataclass(frozen=True, slots=True)
class TemporalBacklog:
    """Implements ``Backlog``: starts the workflow, or tells the running one to look again."""

    queue: str
    """Of workflows."""
    model_queue: str
    client: Callable[[], Client] = activity.client

    async def wanted(self, session: str) -> None:
        await self.client().start_workflow(
            "MemoryIndexing",
            IndexingInput(session=session, model_queue=self.model_queue),
            id=WORKFLOW_ID,
            task_queue=self.queue,
            start_signal="wanted",
            static_summary="Vectors of memories",
        )


@dataclass(frozen=True)
class MemoryIndexingActivities:
    """Activities for the process that makes vectors."""

    memories: Memories
    embeddings: Embeddings
    records: Records
    seconds: Callable[[], float] = monotonic

    @activity.defn
    async def index_memories(self, request: IndexMemories) -> Indexed:
        """Bring vectors for some seconds, the newest memories first.

        Each request's vectors are stored before the next is made. Harmless to repeat: what has a vector of
        the present model is not asked for, and an answer that came before is not paid again.

        Raises:
            ModelUnavailable, ModelFinal, BudgetSpent: as ``Embeddings.embed``.
        """
        return await asyncio.to_thread(self._index, request)

    @activity.defn
    async def end_indexing(self, request: EndIndexing) -> None:
        """Note the run's end, for lists."""
        await asyncio.to_thread(self.records.note, *_noted(request))

    def _index(self, request: IndexMemories) -> Indexed:
        model, until = self.embeddings.model, self.seconds() + _PATIENCE_S
        if not model:
            return Indexed()
        indexed, used = 0, list[Usage]()
        while lacking := self.memories.without(model, limit=AT_ONCE):
            used.append(self._bring(lacking, request))
            indexed += len(lacking)
            if self.seconds() >= until:
                break
        left = self.memories.counted(model).without
        return Indexed(indexed=indexed, left=left, model=model, usage=total(used))

    def _bring(self, lacking: Sequence[Memory], request: IndexMemories) -> Usage:
        scope = BudgetScope(run=run_name(request.session), subject=SUBJECT)
        charge = Charge(effect=request.effect, scope=scope)
        vectors = self.embeddings.embed([each.text for each in lacking], charge)
        self.memories.embed(lacking, vectors)
        return vectors.usage


def _noted(request: EndIndexing) -> tuple[RunRow, list[Event]]:
    ending = request.result
    row, event = run_end(
        run_name(request.session),
        PIPELINE,
        SUBJECT,
        request.effect,
        outcome=shown_outcome(ending.outcome, ending.code),
        data={"outcome": ending.outcome, "code": ending.code, "indexed": ending.indexed},
        detail=ending.model_dump(mode="json"),
        cost_micros=ending.cost_micros,
        started_at=request.effect.issued_at,
    )
    return row, [event]
