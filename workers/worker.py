"""The worker processes: which queues each one serves, and how it starts and stops."""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack
from datetime import timedelta
from functools import partial
from importlib.metadata import version
from typing import Any

from temporalio.api.workflowservice.v1 import DescribeNamespaceRequest
from temporalio.client import Client, Interceptor
from temporalio.common import VersioningBehavior
from temporalio.worker import Interceptor as WorkerInterceptor
from temporalio.worker import Worker, WorkerDeploymentConfig, WorkerDeploymentVersion

from penwright.agents.tools.resources import opened
from penwright.errors import EngineUnavailable
from workers import log_setup, prepare, scene_wiring, store_opening, telemetry, wiring
from workers.agents import register_agents
from workers.client import connect
from workers.engine.address import address
from workers.health.liveness import ReportLiveness, discard_report
from workers.health.running_activities import RunningActivities
from workers.health.space_guard import SpaceGuard
from workers.lifecycle import open_worker_process
from workers.settings import Loaded, Settings, WorkerSettings
from workers.temporal_plugin import PLUGIN, WORKFLOWS
from workflows.options import briefs_queue, notice_queue, scholarly_queue

STICKY = timedelta(seconds=1)
"""How long a run waits for the worker that has it cached: the longest gap after that worker is killed."""
THROTTLE = timedelta(seconds=2)
"""Longest delay of a heartbeat, and so the time after which a cancelled activity learns of it."""
CONNECT_POLL_S = 0.05
NOTICES_AT_ONCE = 4
"""Notifications that are sent at the same time; channels that hang keep only each other waiting."""

BRIEFS_AT_ONCE = 4
"""Prompts of scenes that are made at the same time; counting tokens is work for the processor."""

Activity = Callable[..., Any]  # Any: an activity's own types


async def run_main(
    loaded: Loaded,
    *,
    preparing: bool,
    on_ready: Callable[[], None],
    report: ReportLiveness = discard_report,
    interceptors: Sequence[Interceptor] = (),
) -> None:
    """Run workflows, records and this host's repositories until SIGTERM."""
    settings = loaded.settings
    log_setup.configure(settings.telemetry, process="worker")
    async with AsyncExitStack() as stack:
        worker_process = await stack.enter_async_context(
            open_worker_process(settings, "worker", settings.health.worker_port, report)
        )
        client = await _client(settings, process="worker", interceptors=interceptors)
        await _prepare(settings, client, preparing=preparing)
        # Only now: the tables exist.
        store = store_opening.open_store_of(settings)
        stack.callback(store.close)
        workshop = await stack.enter_async_context(opened(register_agents(settings, file=loaded.file)))
        activities = [*wiring.main_activities(settings, store), *scene_wiring.round_activities(store)]
        repositories = wiring.repo_activities(loaded, store, workshop, owner=await _owner(client))
        options = settings.worker
        _widen_threads(options)
        guards = (SpaceGuard(settings),)
        hire_for = partial(
            worker_of, client, options, under_way=worker_process.under_way, interceptors=guards
        )
        workers = [
            hire_for(options.queue, (), 1, workflows=WORKFLOWS),
            hire_for(options.queue, activities, options.activities),
        ]
        notices = wiring.notice_activities(settings, store)
        workers.append(hire_for(notice_queue(options.queue), notices, NOTICES_AT_ONCE))
        registries = await stack.enter_async_context(wiring.scholarly_activities(loaded, store))
        workers.append(hire_for(scholarly_queue(options.queue), registries, settings.scholarly.at_once))
        if repositories:
            workers.append(
                hire_for(settings.repo_queue, repositories, options.repo_activities + options.remote_waits)
            )
        await worker_process.serve(client, workers, on_ready)


async def run_models(
    loaded: Loaded,
    *,
    on_ready: Callable[[], None],
    report: ReportLiveness = discard_report,
    interceptors: Sequence[Interceptor] = (),
) -> None:
    """Run calls to language models until SIGTERM; only this process holds providers' keys."""
    settings = loaded.settings
    log_setup.configure(settings.telemetry, process="models")
    options = settings.worker
    async with AsyncExitStack() as stack:
        worker_process = await stack.enter_async_context(
            open_worker_process(settings, "models", settings.health.models_port, report)
        )
        client = await _client(settings, process="models", interceptors=interceptors)
        activities = await stack.enter_async_context(wiring.model_activities(loaded))
        worker = worker_of(
            client,
            options,
            options.model_queue,
            activities,
            options.model_activities + options.model_waits,
            per_second=options.model_calls_per_second,
            under_way=worker_process.under_way,
        )
        store = store_opening.open_store_of(settings, live_caps=wiring.LiveCaps(loaded))
        stack.callback(store.close)
        briefs = worker_of(
            client,
            options,
            briefs_queue(options.model_queue),
            scene_wiring.brief_activities(loaded, store),
            BRIEFS_AT_ONCE,
            under_way=worker_process.under_way,
        )
        await worker_process.serve(client, [worker, briefs], on_ready)


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


def _widen_threads(options: WorkerSettings) -> None:
    """Give asynchronous steps threads enough for every slot: a few that hang must not hold up the rest."""
    at_once = options.activities + options.repo_activities + options.remote_waits
    threads = ThreadPoolExecutor(at_once, thread_name_prefix="steps")
    asyncio.get_running_loop().set_default_executor(threads)


async def _client(settings: Settings, *, process: str, interceptors: Sequence[Interceptor]) -> Client:
    """Connect; retry for ``start_timeout_s`` while the server starts or restarts."""
    runtime = telemetry.runtime(settings.telemetry)
    interceptors = (*telemetry.tracing(settings.telemetry, process=process), *interceptors)
    deadline = asyncio.get_running_loop().time() + settings.engine.start_timeout_s
    while True:
        try:
            return await connect(
                settings,
                blobs=store_opening.blobs_of(settings),
                interceptors=interceptors,
                plugins=[PLUGIN],
                runtime=runtime,
            )
        except EngineUnavailable:
            if asyncio.get_running_loop().time() > deadline:
                raise
        await asyncio.sleep(CONNECT_POLL_S)


async def _owner(client: Client) -> str:
    """Return the namespace's id: workflow ids are unique within it, so it names the engine in lock files."""
    request = DescribeNamespaceRequest(namespace=client.namespace)
    return (await client.workflow_service.describe_namespace(request)).namespace_info.id


async def _prepare(settings: Settings, client: Client, *, preparing: bool) -> None:
    """Prepare an embedded Temporal's namespace and the tables; a namespace that is not ours is checked.

    A process that is not ``preparing`` checks both.
    """
    patience_s, url = settings.engine.start_timeout_s, address(settings).database_url
    if not settings.embeds_temporal:
        await prepare.check_namespace(client)
    elif preparing:
        await prepare.namespace_when_ready(
            client, retention_days=settings.engine.retention_days, patience_s=patience_s
        )
    if preparing:
        await prepare.tables_when_ready(url, embedded=settings.embeds_postgres, patience_s=patience_s)
    elif not settings.embeds_postgres:
        await asyncio.to_thread(prepare.check_tables, url)
