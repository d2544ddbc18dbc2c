"""How long a run waited, as a real server knows it: for a slot, for a permit, under way and done."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from temporalio import activity, workflow
from temporalio.client import Client, WorkflowHandle
from temporalio.testing import WorkflowEnvironment
from temporalio.worker import UnsandboxedWorkflowRunner, Worker

from activities import permit_waits
from activities.queue_time import QueueTimeActivities
from penwright.adapters.clock import SystemClock
from schemas.agent_run import ModelAnswered
from schemas.queue_time import AskQueueTime

LONG = timedelta(minutes=1)
BEAT = timedelta(seconds=6)
"""Of the call; a machine that stands still for less loses no attempt."""
POLL_S = 0.1


@workflow.defn(name="waits", sandboxed=False)
class Waits:
    """Calls a model and can be asked how long that waited."""

    @workflow.run
    async def run(self) -> None:
        await workflow.execute_activity(
            "call_model",
            task_queue=workflow.info().task_queue + "-models",
            start_to_close_timeout=LONG,
            heartbeat_timeout=BEAT,
        )
        await workflow.wait_condition(lambda: False)

    @workflow.update
    async def waited(self) -> float:
        request = AskQueueTime(since=workflow.info().start_time)
        asked = await workflow.execute_activity_method(
            QueueTimeActivities.time_in_queues, request, start_to_close_timeout=LONG
        )
        return asked.waited_s


@workflow.defn(name="hires", sandboxed=False)
class Hires:
    """Has another run do it, and can be asked how long that waited."""

    @workflow.run
    async def run(self) -> None:
        await workflow.execute_child_workflow(Waits.run, task_queue=workflow.info().task_queue)

    @workflow.update
    async def waited(self) -> float:
        request = AskQueueTime(since=workflow.info().start_time)
        asked = await workflow.execute_activity_method(
            QueueTimeActivities.time_in_queues, request, start_to_close_timeout=LONG
        )
        return asked.waited_s


class Vendor:
    """A model that a call reaches after it got its permit, and that answers when it is let go."""

    def __init__(self) -> None:
        self.begun, self.permit, self.done = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self.waited_s = 0.0

    @activity.defn(name="call_model")
    async def call_model(self) -> ModelAnswered:
        self.begun.set()
        with permit_waits.waiting():
            began = time.monotonic()
            await self.permit.wait()
            self.waited_s = time.monotonic() - began
        await self.done.wait()
        return ModelAnswered(head=None, waited_s=permit_waits.waited_s())


@asynccontextmanager
async def run_of(client: Client, kind: str = "waits") -> AsyncIterator["WorkflowHandle[Any, Any]"]:
    queue = f"waits-{uuid4().hex[:8]}"
    asks = QueueTimeActivities(SystemClock())
    async with Worker(
        client,
        task_queue=queue,
        workflows=[Waits, Hires],
        activities=[asks.time_in_queues],
        workflow_runner=UnsandboxedWorkflowRunner(),
    ):
        handle: WorkflowHandle[Any, Any] = await client.start_workflow(kind, id=queue, task_queue=queue)
        yield handle
        await handle.terminate()


def models(client: Client, run: "WorkflowHandle[Any, Any]", vendor: Vendor) -> Worker:
    return Worker(client, task_queue=f"{run.id}-models", activities=[vendor.call_model])


async def waited(run: "WorkflowHandle[Any, Any]") -> float:
    return float(await run.execute_update("waited"))


async def waited_at_least(run: "WorkflowHandle[Any, Any]", seconds: float) -> float:
    async with asyncio.timeout(30):
        while (found := await waited(run)) < seconds:  # noqa: ASYNC110
            await asyncio.sleep(POLL_S)
    return found


@pytest.mark.long
async def test_what_waits_for_a_slot_or_a_permit_counts_and_work_does_not(
    temporal_env: WorkflowEnvironment,
) -> None:
    client, vendor = temporal_env.client, Vendor()

    async with run_of(client) as run:
        for_a_slot = await waited_at_least(run, 0.3)
        async with models(client, run, vendor):
            await vendor.begun.wait()
            await waited_at_least(
                run, for_a_slot + BEAT.total_seconds() * 0.9
            )  # longer than between two beats
            vendor.permit.set()
            at_work = await settled(run)
            vendor.done.set()
            done = await settled(run)

    assert vendor.waited_s > 0
    assert at_work >= for_a_slot + vendor.waited_s
    assert done == pytest.approx(at_work, abs=0.5)


async def test_what_a_run_that_it_started_waits_counts_as_well(temporal_env: WorkflowEnvironment) -> None:
    async with run_of(temporal_env.client, "hires") as run:
        waited = await waited_at_least(run, 0.3)

    assert waited < LONG.total_seconds()


async def settled(run: "WorkflowHandle[Any, Any]") -> float:
    """The answer once it grows by less than time does: the server hears of a permit with a beat."""
    loop = asyncio.get_running_loop()
    async with asyncio.timeout(30):
        while True:
            before, began = await waited(run), loop.time()
            while loop.time() - began < 1:  # noqa: ASYNC110
                await asyncio.sleep(POLL_S)
            if (now := await waited(run)) - before < 0.5:
                return now
