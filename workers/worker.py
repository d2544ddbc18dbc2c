"""The worker processes: which queues each one serves, and how it starts and stops."""

import asyncio
import os
import signal
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack
from datetime import timedelta
from importlib.metadata import version
from typing import Any

import structlog
from temporalio.api.enums.v1 import TaskQueueType
from temporalio.api.taskqueue.v1 import TaskQueue
from temporalio.api.workflowservice.v1 import DescribeNamespaceRequest, DescribeTaskQueueRequest
from temporalio.client import Client, Interceptor
from temporalio.common import VersioningBehavior
from temporalio.service import RPCError
from temporalio.worker import Worker, WorkerDeploymentConfig, WorkerDeploymentVersion

from penwright.agents.resources import opened
from penwright.errors import EngineUnavailable
from workers import journal, prepare, shelving, telemetry, wiring
from workers.agents import hire
from workers.client import connect
from workers.engine.address import address
from workers.house import WORKFLOWS
from workers.settings import Loaded, Settings, WorkerSettings

STICKY = timedelta(seconds=1)
"""How long a run waits for the worker that knew it before any other may take it: the gap after a kill."""
THROTTLE = timedelta(seconds=2)
"""Heartbeats are held back no longer than this, so that a cancelled activity learns of it in time."""
READY_POLL_S = 0.02
CONNECT_POLL_S = 0.05

Activity = Callable[..., Any]  # Any: an activity's own types


async def run_main(
    loaded: Loaded,
    *,
    preparing: bool,
    on_ready: Callable[[], None],
    interceptors: Sequence[Interceptor] = (),
) -> None:
    """Workflows, records and this host's repositories, until SIGTERM."""
    settings = loaded.settings
    journal.configure(settings.telemetry, process="worker")
    client = await _client(settings, process="worker", interceptors=interceptors)
    if preparing:
        await _prepare(settings, client)
    async with AsyncExitStack() as stack:
        # The store opens after the tables exist.
        store = shelving.open_store_of(settings)
        stack.callback(store.close)
        workshop = await stack.enter_async_context(opened(hire(settings)))
        activities = wiring.main_activities(settings, store)
        repositories = wiring.repo_activities(loaded, store, workshop, owner=await _owner(client))
        options = settings.worker
        main = worker_of(client, options, options.queue, activities, options.activities, workflows=WORKFLOWS)
        workers = [main]
        if repositories:
            workers.append(
                worker_of(client, options, settings.repo_queue, repositories, options.repo_activities)
            )
        await _serve(client, workers, on_ready)


async def run_models(
    loaded: Loaded, *, on_ready: Callable[[], None], interceptors: Sequence[Interceptor] = ()
) -> None:
    """Calls to language models, until SIGTERM; the only process that holds providers' keys."""
    settings = loaded.settings
    journal.configure(settings.telemetry, process="models")
    client = await _client(settings, process="models", interceptors=interceptors)
    async with wiring.model_activities(loaded) as activities:
        options = settings.worker
        worker = worker_of(
            client,
            options,
            options.model_queue,
            activities,
            options.model_activities,
            per_second=options.model_calls_per_second,
        )
        await _serve(client, [worker], on_ready)


def worker_of(
    client: Client,
    options: WorkerSettings,
    queue: str,
    activities: Sequence[Activity],
    at_once: int,
    *,
    workflows: Sequence[type] = (),
    per_second: float | None = None,
) -> Worker:
    """A worker with the defaults that keep a killed process's gap at seconds."""
    return Worker(
        client,
        task_queue=queue,
        workflows=workflows,
        activities=activities,
        activity_executor=ThreadPoolExecutor(at_once + 1, thread_name_prefix=queue),
        max_concurrent_activities=at_once,
        max_cached_workflows=options.cached_workflows,
        max_task_queue_activities_per_second=per_second,
        sticky_queue_schedule_to_start_timeout=STICKY,
        max_heartbeat_throttle_interval=THROTTLE,
        default_heartbeat_throttle_interval=THROTTLE,
        graceful_shutdown_timeout=timedelta(seconds=options.grace_s),
        **_build(options),
    )


def _build(options: WorkerSettings) -> dict[str, Any]:  # Any: keyword arguments of ``Worker``
    """Which code this is. A versioned worker gets no work until its version is made current.

    Left to itself, the SDK hashes every loaded module, which takes longer than the rest of the start.
    """
    if options.build_id is None:
        return {"build_id": f"penwright-{version('penwright')}"}
    deployment = WorkerDeploymentConfig(
        version=WorkerDeploymentVersion(options.deployment, options.build_id),
        use_worker_versioning=True,
        default_versioning_behavior=VersioningBehavior.PINNED,
    )
    return {"deployment_config": deployment}


async def _serve(client: Client, workers: Sequence[Worker], on_ready: Callable[[], None]) -> None:
    """Run the workers until SIGTERM or SIGINT, or until one of them fails."""
    log = structlog.get_logger()
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopped.set)
    running = [asyncio.create_task(worker.run()) for worker in workers]
    waiting = asyncio.create_task(stopped.wait())
    greeting = asyncio.create_task(_greet(client, workers, on_ready))
    await asyncio.wait([*running, waiting], return_when=asyncio.FIRST_COMPLETED)
    log.info("stopping", queues=[worker.task_queue for worker in workers])
    greeting.cancel()
    waiting.cancel()
    await asyncio.gather(
        *(worker.shutdown() for worker, task in zip(workers, running, strict=True) if not task.done())
    )
    await asyncio.gather(*running)


async def _greet(client: Client, workers: Sequence[Worker], on_ready: Callable[[], None]) -> None:
    """Say that we are ready once the server has seen us ask for work; it has no event for that."""
    for worker in workers:
        while not await _polls(client, worker.task_queue):  # noqa: ASYNC110
            await asyncio.sleep(READY_POLL_S)
    structlog.get_logger().info("ready", queues=[worker.task_queue for worker in workers], pid=os.getpid())
    on_ready()


async def _polls(client: Client, queue: str) -> bool:
    """Whether the server has seen this process ask for activities of ``queue``; no, if it does not answer."""
    request = DescribeTaskQueueRequest(
        namespace=client.namespace,
        task_queue=TaskQueue(name=queue),
        task_queue_type=TaskQueueType.TASK_QUEUE_TYPE_ACTIVITY,
    )
    try:
        answer = await client.workflow_service.describe_task_queue(request)
    except RPCError:
        return False
    return any(poller.identity == client.identity for poller in answer.pollers)


async def _client(settings: Settings, *, process: str, interceptors: Sequence[Interceptor]) -> Client:
    """Connect; a server that is still starting, or being started again, is waited for."""
    runtime = telemetry.runtime(settings.telemetry)
    interceptors = (*telemetry.tracing(settings.telemetry, process=process), *interceptors)
    deadline = asyncio.get_running_loop().time() + settings.engine.start_timeout_s
    while True:
        try:
            return await connect(
                settings, blobs=shelving.blobs_of(settings), interceptors=interceptors, runtime=runtime
            )
        except EngineUnavailable:
            if asyncio.get_running_loop().time() > deadline:
                raise
        await asyncio.sleep(CONNECT_POLL_S)


async def _owner(client: Client) -> str:
    """The id of our namespace: what makes a workflow id unique, and so a session the only one of its book."""
    request = DescribeNamespaceRequest(namespace=client.namespace)
    return (await client.workflow_service.describe_namespace(request)).namespace_info.id


async def _prepare(settings: Settings, client: Client) -> None:
    """Bring the servers of our own engine to what the house needs; somebody else's only get their tables."""
    patience_s = settings.engine.start_timeout_s
    if settings.embeds_temporal:
        await prepare.namespace_when_ready(
            client, retention_days=settings.engine.retention_days, patience_s=patience_s
        )
    await prepare.tables_when_ready(
        address(settings).database_url, embedded=settings.embeds_postgres, patience_s=patience_s
    )
