"""The background that brings vectors, on a server."""

import asyncio

import pytest
from temporalio.client import WorkflowFailureError, WorkflowHandle
from temporalio.exceptions import ApplicationError
from temporalio.testing import WorkflowEnvironment

from penwright.errors import ModelFinal
from schemas.memory_indexing import WORKFLOW_ID, IndexingResult
from tests.support.scenes.indexing import Numbers, library
from workflows.memory_indexing import MemoryIndexing


async def test_it_is_started_once_and_told_again_while_it_runs(temporal_env: WorkflowEnvironment) -> None:
    numbers = Numbers()
    async with library(temporal_env.client, numbers) as here:
        here.remember("One.", "Two.")
        loop, told = asyncio.get_running_loop(), list[bool]()

        def meanwhile() -> None:
            if not told:
                here.remember("Three, said meanwhile.")
                told.append(True)
                asyncio.run_coroutine_threadsafe(here.backlog.wanted("s1"), loop).result(30)

        numbers.meanwhile = meanwhile
        await here.backlog.wanted("s1")
        ended = await here.ended()

        assert here.store.memories.counted("numbers").without == 0
        assert (ended["outcome"], ended["indexed"]) == ("completed", 3)
        assert [len(each) for each in numbers.asked] == [2, 1]
        assert [row.outcome for row in here.store.records.runs(pipeline="memory-indexing")] == ["completed"]


async def test_a_model_without_a_key_fails_the_run_and_says_what_to_do(
    temporal_env: WorkflowEnvironment,
) -> None:
    numbers = Numbers(failure=ModelFinal("model-key-missing", "Set NEAR_KEY."))
    async with library(temporal_env.client, numbers) as here:
        here.remember("One.")
        await here.backlog.wanted("s1")
        with pytest.raises(WorkflowFailureError) as failure:
            await here.ended()
        assert isinstance(failure.value.cause, ApplicationError)
        assert failure.value.cause.type == "model-key-missing"
        (row,) = here.store.records.runs(pipeline="memory-indexing")
        assert (row.outcome, row.detail["message"]) == ("failed", "Set NEAR_KEY.")

        numbers.failure = None
        await here.backlog.wanted("s1")
        assert (await here.ended())["outcome"] == "completed"


async def test_its_progress_can_be_asked_for(temporal_env: WorkflowEnvironment) -> None:
    async with library(temporal_env.client, Numbers()) as here:
        here.remember("One.")
        await here.backlog.wanted("s1")
        await here.ended()

        handle: WorkflowHandle[MemoryIndexing, IndexingResult] = temporal_env.client.get_workflow_handle_for(
            MemoryIndexing.run, WORKFLOW_ID
        )
        told = await handle.query(MemoryIndexing.progress)

        assert (told.outcome, told.detail) == (
            "completed",
            "Memories that got their vectors: 1; still without: 0",
        )
