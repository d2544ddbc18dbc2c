"""Common parts of all worker processes: connections, and the timeouts and identity of workers."""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from importlib.metadata import version
from typing import Any

from temporalio.client import Client, Interceptor
from temporalio.common import VersioningBehavior
from temporalio.worker import Interceptor as WorkerInterceptor
from temporalio.worker import Worker, WorkerDeploymentConfig, WorkerDeploymentVersion

from penwright.errors import EngineUnavailable
from penwright.ports.blobs import Blobs
from workers import telemetry
from workers.client import connect
from workers.failures import NOT_PREPARED
from workers.health.running_activities import RunningActivities
from workers.orders.receiving import order_checks
from workers.pauses import growing_pauses
from workers.preparing.temporal import check_namespace
from workers.settings import Settings, WorkerSettings
from workers.temporal_plugin import PLUGIN

STICKY = timedelta(seconds=1)
"""Time a run waits for the worker that has it cached: the longest gap after that worker is killed."""
THROTTLE = timedelta(seconds=2)
"""Longest delay of a heartbeat, and so the time after which a cancelled activity learns of it."""

Activity = Callable[..., Any]  # Any: an activity's own types


async def connected(settings: Settings, *, process: str, interceptors: Sequence[Interceptor]) -> Client:
    """Connect; retry while the server starts or restarts.

    Raises:
        EngineUnavailable: it does not answer, or ``namespace-not-prepared``: it is not ours and not set up.
    """
    runtime = telemetry.runtime(settings.telemetry)
    tracing = telemetry.tracing(settings.telemetry, process=process)
    interceptors = (*tracing, *order_checks(settings), *interceptors)
    patience_s = settings.engine.patience_s(embedded=settings.embeds_temporal)
    deadline = asyncio.get_running_loop().time() + patience_s
    for pause_s in growing_pauses():
        try:
            client = await connect(
                settings,
                blobs=blobs_of(settings),
                interceptors=interceptors,
                plugins=[PLUGIN],
                runtime=runtime,
            )
            if not settings.embeds_temporal:
                await check_namespace(client)
            return client
        except EngineUnavailable as error:
            if error.code == NOT_PREPARED or asyncio.get_running_loop().time() > deadline:
                raise
        await asyncio.sleep(pause_s)
    raise AssertionError("pauses never end")


def blobs_of(settings: Settings) -> Callable[[], Blobs]:
    """Return a function that opens the blob store; a client calls it at its first large payload."""

    def opened() -> Blobs:
        # Imported here: workflows seldom meet such a payload, and their process uses no other store.
        from workers.store_opening import open_store_of

        return open_store_of(settings).blobs

    return opened


def worker_of(
    client: Client,
    options: WorkerSettings,
    queue: str,
    activities: Sequence[Activity],
    at_once: int,
    *,
    workflows: Sequence[type] = (),
    per_second: float | None = None,
    under_way: RunningActivities | None = None,
    interceptors: Sequence[WorkerInterceptor] = (),
) -> Worker:
    """Return a worker whose timeouts keep the gap after a killed process at a few seconds."""
    if under_way is not None and activities:
        under_way.offer(queue, at_once)
    return Worker(
        client,
        task_queue=queue,
        workflows=workflows,
        activities=activities,
        interceptors=[*([under_way] if under_way is not None else []), *interceptors],
        activity_executor=ThreadPoolExecutor(at_once + 1, thread_name_prefix=queue),
        max_concurrent_activities=at_once,
        max_cached_workflows=options.cached_workflows,
        max_task_queue_activities_per_second=per_second,
        sticky_queue_schedule_to_start_timeout=STICKY,
        max_heartbeat_throttle_interval=THROTTLE,
        default_heartbeat_throttle_interval=THROTTLE,
        graceful_shutdown_timeout=timedelta(seconds=options.grace_s),
        **_build(options, versioned=bool(workflows)),
    )


def _build(options: WorkerSettings, *, versioned: bool) -> dict[str, Any]:  # Any: arguments of ``Worker``
    """Identify the code. A versioned worker gets no work until its version is made current.

    Only workflows are versioned: an activity of a run that is pinned to a build would never be dispatched
    once its queue is served by the next build alone, as that of a host is.

    Without a build id, the SDK hashes every loaded module, which takes longer than the rest of the start.
    """
    if options.build_id is None or not versioned:
        return {"build_id": f"penwright-{version('penwright')}"}
    deployment = WorkerDeploymentConfig(
        version=WorkerDeploymentVersion(options.deployment, options.build_id),
        use_worker_versioning=True,
        default_versioning_behavior=VersioningBehavior.PINNED,
    )
    return {"deployment_config": deployment}
