"""What a worker process needs of the servers before work may come."""

import asyncio
from collections.abc import Sequence
from datetime import timedelta

import psycopg
from temporalio.api.enums.v1 import TaskQueueType
from temporalio.api.taskqueue.v1 import TaskQueue
from temporalio.api.workflowservice.v1 import DescribeTaskQueueRequest
from temporalio.client import Client
from temporalio.service import RPCError

from penwright.errors import PenwrightError
from workers.engine.address import address
from workers.health.process_health import Check, NotReadyReason
from workers.settings import Settings

PATIENCE_S = 2
"""How long a server may take to answer before it counts as out of reach."""


def checks_of(settings: Settings, client: Client, queues: Sequence[str]) -> Sequence[Check]:
    """Temporal has us as a poller of each queue, and the database answers."""

    async def temporal() -> NotReadyReason | None:
        return await _temporal(client, queues)

    async def database() -> NotReadyReason | None:
        return await _database(settings)

    return (temporal, database)


async def polls(client: Client, queue: str) -> bool:
    """Whether the server has seen this process ask for activities of ``queue``; no, if it does not answer."""
    try:
        return await _asked_for(client, queue)
    except RPCError:
        return False


async def _temporal(client: Client, queues: Sequence[str]) -> NotReadyReason | None:
    try:
        for queue in queues:
            if not await _asked_for(client, queue):
                return NotReadyReason(
                    "not-polling", f"Temporal has not seen this process ask for work of {queue!r}"
                )
    except RPCError as error:
        return NotReadyReason("temporal-unreachable", f"Temporal does not answer: {error.message}")
    return None


async def _asked_for(client: Client, queue: str) -> bool:
    request = DescribeTaskQueueRequest(
        namespace=client.namespace,
        task_queue=TaskQueue(name=queue),
        task_queue_type=TaskQueueType.TASK_QUEUE_TYPE_ACTIVITY,
    )
    answer = await client.workflow_service.describe_task_queue(request, timeout=timedelta(seconds=PATIENCE_S))
    return any(poller.identity == client.identity for poller in answer.pollers)


async def _database(settings: Settings) -> NotReadyReason | None:
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
