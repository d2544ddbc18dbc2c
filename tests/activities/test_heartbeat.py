"""Every activity that promises heartbeats sends them, in a thread or in the loop."""

import asyncio
import time
from collections.abc import Awaitable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from uuid import uuid4

from temporalio import activity
from temporalio.common import RetryPolicy
from temporalio.testing import WorkflowEnvironment
from temporalio.worker import Worker

SHORT = timedelta(seconds=3)
LONGER_S = 4.5


@activity.defn
def busy_in_a_thread() -> str:
    time.sleep(LONGER_S)
    return "done"


@activity.defn
async def busy_in_the_loop() -> str:
    await asyncio.sleep(LONGER_S)
    return "done"


async def test_work_longer_than_its_heartbeat_timeout_is_not_given_up(
    temporal_env: WorkflowEnvironment,
) -> None:
    queue = f"beats-{uuid4().hex[:8]}"

    def done(name: str) -> Awaitable[str]:
        return temporal_env.client.execute_activity(
            name,
            id=f"{queue}-{name}",
            task_queue=queue,
            heartbeat_timeout=SHORT,
            start_to_close_timeout=timedelta(seconds=20),
            retry_policy=RetryPolicy(maximum_attempts=1),
            result_type=str,
        )

    with ThreadPoolExecutor(2) as threads:
        async with Worker(
            temporal_env.client,
            task_queue=queue,
            activities=[busy_in_a_thread, busy_in_the_loop],
            activity_executor=threads,
        ):
            results = await asyncio.gather(done("busy_in_a_thread"), done("busy_in_the_loop"))

    assert set(results) == {"done"}
