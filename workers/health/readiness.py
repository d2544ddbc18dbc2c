"""Checks of the servers before a worker process takes work."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta
from typing import Literal

from temporalio.api.enums.v1 import TaskQueueType
from temporalio.api.taskqueue.v1 import TaskQueue
from temporalio.api.workflowservice.v1 import DescribeTaskQueueRequest
from temporalio.client import Client
from temporalio.service import RPCError

from penwright.errors import PenwrightError
from workers.health.process_health import Check, NotReadyReason
from workers.home.address import address
from workers.settings import Settings

FIRST_PAUSE_S = 0.02
LONGEST_PAUSE_S = 1.0
"""Between two questions at the start, so that workers that start together spare a cloud's limit."""
PATIENCE_S = 2
"""Time a server may take to answer before it counts as out of reach."""

Sleep = Callable[[float], Awaitable[None]]
TaskKind = Literal["workflows", "activities"]
_TYPES = {
    "workflows": TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW,
    "activities": TaskQueueType.TASK_QUEUE_TYPE_ACTIVITY,
}


def checks_of(settings: Settings) -> Sequence[Check]:
    """The database answers. Temporal is asked once, by ``await_polling``: a cloud limits such questions.

    A server that goes away later is asked again by the workers' own polls, which never give up.
    """

    async def database() -> NotReadyReason | None:
        return await _database(settings)

    return (database,)


async def await_polling(
    client: Client, queues: Sequence[str], kind: TaskKind, *, sleep: Sleep = asyncio.sleep
) -> None:
    """Return once the server has seen this process ask for workflows or activities of every queue.

    It has no event for that, so it is asked, with growing pauses; a server that is away is asked again.
    """
    for queue in queues:
        pause_s = FIRST_PAUSE_S
        while not await _polls(client, queue, kind):
            await sleep(pause_s)
            pause_s = min(LONGEST_PAUSE_S, pause_s * 2)


async def _polls(client: Client, queue: str, kind: TaskKind) -> bool:
    try:
        return await _asked_for(client, queue, kind)
    except RPCError:
        return False


async def _asked_for(client: Client, queue: str, kind: TaskKind) -> bool:
    request = DescribeTaskQueueRequest(
        namespace=client.namespace,
        task_queue=TaskQueue(name=queue),
        task_queue_type=_TYPES[kind],
    )
    answer = await client.workflow_service.describe_task_queue(request, timeout=timedelta(seconds=PATIENCE_S))
    return any(poller.identity == client.identity for poller in answer.pollers)


async def _database(settings: Settings) -> NotReadyReason | None:
    # Imported here: the process of workflows shares this module and uses no database.
    import psycopg

    # A connection of its own: the store's pool may be busy, and that is no illness.
    try:
        async with asyncio.timeout(PATIENCE_S):
            url = address(settings).database_url
            async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
                await connection.execute("select 1")
    except (psycopg.Error, PenwrightError, TimeoutError) as error:
        why = str(error).partition("\n")[0] or f"no answer in {PATIENCE_S} s"
        return NotReadyReason("database-unreachable", f"PostgreSQL does not answer: {why}")
    return None
