"""Every activity that promises heartbeats sends them, in a thread or in the loop."""

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from uuid import uuid4

import pytest
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


@pytest.mark.parametrize("work", [busy_in_a_thread, busy_in_the_loop], ids=["thread", "loop"])
async def test_work_longer_than_its_heartbeat_timeout_is_not_given_up(
    temporal_env: WorkflowEnvironment, work: object
) -> None:
    queue = f"beats-{uuid4().hex[:8]}"
    name = activity._Definition.must_from_callable(work).name  # type: ignore[arg-type]
    assert name is not None

    with ThreadPoolExecutor(2) as threads:
        async with Worker(
            temporal_env.client,
            task_queue=queue,
            activities=[busy_in_a_thread, busy_in_the_loop],
            activity_executor=threads,
        ):
            result = await temporal_env.client.execute_activity(
                name,
                id=queue,
                task_queue=queue,
                heartbeat_timeout=SHORT,
                start_to_close_timeout=timedelta(seconds=20),
                retry_policy=RetryPolicy(maximum_attempts=1),
                result_type=str,
            )

    assert result == "done"
