"""Heartbeats of activities that say nothing themselves, in threads and on the event loop."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

from temporalio import activity
from temporalio.testing import WorkflowEnvironment
from temporalio.worker import Worker

from tests.workers.probes import Waiting

QUEUE = "heartbeat"


class Slow:
    """Activities that outlast their heartbeat timeout of one second."""

    def __init__(self) -> None:
        self.attempts: list[int] = []

    @activity.defn(name="in_thread")
    def in_thread(self) -> str:
        self.attempts.append(activity.info().attempt)
        threading.Event().wait(1.6)
        return "done"

    @activity.defn(name="on_loop")
    async def on_loop(self) -> str:
        self.attempts.append(activity.info().attempt)
        await asyncio.sleep(1.6)
        return "done"


async def test_an_activity_without_own_heartbeats_is_attempted_once(
    temporal_env: WorkflowEnvironment,
) -> None:
    slow = Slow()
    loop = asyncio.get_running_loop()

    with ThreadPoolExecutor(2) as threads:
        async with Worker(
            temporal_env.client,
            task_queue=QUEUE,
            workflows=[Waiting],
            activities=[slow.in_thread, slow.on_loop],
            activity_executor=threads,
        ):
            began = loop.time()
            said = await temporal_env.client.execute_workflow(Waiting.run, id="waiting", task_queue=QUEUE)

    assert said == ["done", "done"]
    assert slow.attempts == [1, 1]
    assert loop.time() - began < 9, "a beat never holds up the event loop"
