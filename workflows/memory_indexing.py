"""Vectors of memories, durable: after a change of the embedding model, and of what a round left without."""

from typing import assert_never

from temporalio import workflow
from temporalio.workflow import execute_activity_method as ask

from activities.memory_indexing import MemoryIndexingActivities
from penwright.domain.scene import indexing as rules
from schemas.base import Progress
from schemas.memory_indexing import (
    EndIndexing,
    IndexingInput,
    IndexingResult,
    IndexingState,
    IndexMemories,
)
from workflows.failures import concluded
from workflows.options import MODEL_CALL, RECORD, at, briefs_queue
from workflows.steering import Steered, should_continue_as_new


@workflow.defn
class MemoryIndexing(Steered[IndexingInput, IndexingState]):
    """Runs as ``memories/vectors`` until every memory has a vector of the present model."""

    @workflow.init
    def __init__(self, given: IndexingInput) -> None:
        super().__init__(given, given.state or IndexingState(), op_prefix=f"{rules.run_name(given.session)}:")
        self._queue = briefs_queue(given.model_queue) if given.model_queue else ""

    @workflow.run
    async def run(self, given: IndexingInput) -> IndexingResult:
        self._show()
        while step := await self._next(rules.next_step):
            self._state = await self._attempt(step, self._take, rules.failed)
            self._show()
            if should_continue_as_new():
                workflow.continue_as_new(given.model_copy(update={"state": self._state}))
        if further := rules.again(given, self._state):
            workflow.continue_as_new(further)
        return concluded(rules.result(self._state))

    async def _take(self, step: rules.Step) -> IndexingState:
        match step:
            case IndexMemories():
                self._state = rules.begun(self._state)
                outcome = await ask(
                    MemoryIndexingActivities.index_memories, step, **at(self._queue, MODEL_CALL)
                )
                return rules.indexed(self._state, outcome)
            case EndIndexing():
                await ask(MemoryIndexingActivities.end_indexing, step, **at(self._queue, RECORD))
                return rules.ended(self._state)
            case _:
                assert_never(step)

    @workflow.signal
    def wanted(self) -> None:
        """There are new memories without a vector."""
        self._state = rules.wanted(self._state)

    def _progress(self) -> Progress:
        return rules.progress(self._state)
