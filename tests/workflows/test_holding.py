"""A document belongs to one workflow at a time, and to nobody once that workflow has ended."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from uuid import uuid4

from temporalio import workflow
from temporalio.client import WorkflowHandle
from temporalio.testing import WorkflowEnvironment
from temporalio.worker import Worker

from activities.holding import HoldingActivities
from schemas.base import Value
from schemas.holding import DocumentHeld, DocumentHolder
from workers.temporal_plugin import WORKFLOWS
from workers.wiring import activity_methods
from workflows.holding import DOCUMENT_BUSY, DocumentLock, HoldsDocument


class Wanted(Value):
    holder: DocumentHolder
    waits: bool = False
    rounds: int = 0
    """How often it continues as new."""


@workflow.defn(sandboxed=False)
class Scribe(HoldsDocument):
    """A pipeline that takes a document and keeps it until it is told to end."""

    def __init__(self) -> None:
        self._go = False
        self._held: DocumentHeld | None = None

    @workflow.run
    async def run(self, given: Wanted) -> DocumentHeld:
        self._held = await self._hold(given.holder, waits=lambda: given.waits)
        if self._held.code:
            return self._held
        await workflow.wait_condition(lambda: self._go)
        await self._let_go()
        if given.rounds:
            workflow.continue_as_new(given.model_copy(update={"rounds": given.rounds - 1, "waits": True}))
        return self._held

    @workflow.signal
    def go(self) -> None:
        self._go = True

    @workflow.query
    def held(self) -> DocumentHeld | None:
        return self._held


@asynccontextmanager
async def desk(env: WorkflowEnvironment) -> AsyncIterator[str]:
    queue = f"q-{uuid4().hex[:8]}"
    async with Worker(
        env.client,
        task_queue=queue,
        workflows=[*WORKFLOWS, Scribe],
        activities=activity_methods(HoldingActivities()),
    ):
        yield queue


def holder(document: str, what: str) -> DocumentHolder:
    return DocumentHolder(
        novel=document, scene="-", workflow_id=f"{what}/{document}/-", session="s1", what=what
    )


async def begin(
    env: WorkflowEnvironment, queue: str, what: str, **more: Any
) -> WorkflowHandle[Scribe, DocumentHeld]:
    wanted = Wanted(holder=holder(queue, what), **more)
    return await env.client.start_workflow(Scribe.run, wanted, id=wanted.holder.workflow_id, task_queue=queue)


async def until_held(handle: WorkflowHandle[Scribe, DocumentHeld]) -> None:
    async with asyncio.timeout(30):
        while await handle.query(Scribe.held) is None:  # noqa: ASYNC110  # another process answers
            await asyncio.sleep(0.02)


async def second_run(
    env: WorkflowEnvironment, first: WorkflowHandle[Scribe, DocumentHeld]
) -> WorkflowHandle[Scribe, DocumentHeld]:
    newest: WorkflowHandle[Scribe, DocumentHeld] = env.client.get_workflow_handle_for(Scribe.run, first.id)
    async with asyncio.timeout(30):
        while (run := (await newest.describe()).run_id) == first.first_execution_run_id:  # noqa: ASYNC110
            await asyncio.sleep(0.02)
    return env.client.get_workflow_handle_for(Scribe.run, first.id, run_id=run)


async def test_a_second_holder_is_refused_and_told_who_has_the_document(
    temporal_env: WorkflowEnvironment,
) -> None:
    async with desk(temporal_env) as queue:
        loop = await begin(temporal_env, queue, "manuscript")
        await until_held(loop)
        refused = await (await begin(temporal_env, queue, "citations")).result()
        await loop.signal(Scribe.go)
        held = await loop.result()

    assert refused.code == DOCUMENT_BUSY
    assert refused.holder == holder(queue, "manuscript")
    assert f"manuscript/{queue}/-" in refused.message
    assert held.code == ""


async def test_a_document_is_free_as_soon_as_its_holder_has_ended(temporal_env: WorkflowEnvironment) -> None:
    async with desk(temporal_env) as queue:
        for what in ("manuscript", "citations", "manuscript"):
            handle = await begin(temporal_env, queue, what)
            await until_held(handle)
            await handle.signal(Scribe.go)

            assert (await handle.result()).code == ""


async def test_a_holder_that_is_terminated_frees_its_document(temporal_env: WorkflowEnvironment) -> None:
    async with desk(temporal_env) as queue:
        lost = await begin(temporal_env, queue, "manuscript")
        await until_held(lost)
        await lost.terminate("a test")
        after = await begin(temporal_env, queue, "citations", waits=True)
        await until_held(after)
        await after.signal(Scribe.go)

        assert (await after.result()).code == ""


async def test_a_run_that_continues_as_new_takes_it_again(
    temporal_env: WorkflowEnvironment,
) -> None:
    async with desk(temporal_env) as queue:
        handle = await begin(temporal_env, queue, "manuscript", rounds=1)
        await until_held(handle)
        await handle.signal(Scribe.go)
        again = await second_run(temporal_env, handle)
        await until_held(again)
        refused = await (await begin(temporal_env, queue, "citations")).result()
        await again.signal(Scribe.go)

        assert (await again.result()).code == ""
        assert refused.code == DOCUMENT_BUSY


async def test_a_holder_that_is_cancelled_while_it_waits_gives_up(temporal_env: WorkflowEnvironment) -> None:
    async with desk(temporal_env) as queue:
        first = await begin(temporal_env, queue, "manuscript")
        await until_held(first)
        waiting = await begin(temporal_env, queue, "citations", waits=True)
        await asyncio.sleep(0.5)
        await waiting.cancel()

        assert (await waiting.result()).code == DOCUMENT_BUSY
        await first.signal(Scribe.go)
        await first.result()


async def test_a_lock_that_is_released_twice_is_released_once(temporal_env: WorkflowEnvironment) -> None:
    async with desk(temporal_env) as queue:
        handle = await begin(temporal_env, queue, "manuscript")
        await until_held(handle)
        lock: WorkflowHandle[DocumentLock, None] = temporal_env.client.get_workflow_handle_for(
            DocumentLock.run, f"document/{queue}/-"
        )
        await lock.signal(DocumentLock.release)
        await lock.result()
        await handle.signal(Scribe.go)

        assert (await handle.result()).code == ""
