"""The process ``activities``: records, this host's repositories, notifications and scholarly registries."""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack
from functools import partial

from temporalio.client import Interceptor

from penwright.agents.tools.resources import opened
from workers import log_setup, scene_wiring, store_opening, wiring
from workers.agents import register_agents
from workers.health.liveness import ReportLiveness, discard_report
from workers.health.space_guard import SpaceGuard
from workers.preparing import temporal as prepare
from workers.preparing.tables import prepare_tables
from workers.processes.lifecycle import open_worker_process
from workers.processes.worker import connected, worker_of
from workers.settings import Loaded, WorkerSettings
from workflows.options import notice_queue, scholarly_queue

PROCESS = "activities"
NOTICES_AT_ONCE = 4
"""Notifications that are sent at the same time; channels that hang keep only each other waiting."""


async def run_activities(
    loaded: Loaded,
    *,
    preparing: bool,
    on_ready: Callable[[], None],
    report: ReportLiveness = discard_report,
    interceptors: Sequence[Interceptor] = (),
) -> None:
    """Run all activities but those of models until SIGTERM.

    Args:
        preparing: bring the tables up to date first.
    """
    settings, options = loaded.settings, loaded.settings.worker
    log_setup.configure(settings.telemetry, process=PROCESS)
    async with AsyncExitStack() as stack:
        worker_process = await stack.enter_async_context(
            open_worker_process(settings, PROCESS, settings.health.activities_port, report)
        )
        worker_process.begin("connecting to Temporal")
        client = await connected(settings, process=PROCESS, interceptors=interceptors)
        worker_process.begin("preparing the tables")
        await prepare_tables(settings, preparing=preparing)
        worker_process.begin("opening the store, agents and registries")
        # Only now: the tables exist.
        store = store_opening.open_store_of(settings)
        stack.callback(store.close)
        workshop = await stack.enter_async_context(opened(register_agents(settings, file=loaded.file)))
        patience_s = settings.engine.patience_s(embedded=settings.embeds_temporal)
        owner = await prepare.namespace_id(client, patience_s=patience_s)
        await scene_wiring.index_memories(settings, store, client)
        registries = await stack.enter_async_context(wiring.scholarly_activities(loaded, store))
        _widen_threads(options)
        hire_for = partial(
            worker_of,
            client,
            options,
            under_way=worker_process.under_way,
            interceptors=(SpaceGuard(settings),),
        )
        records = [*wiring.main_activities(settings, store), *scene_wiring.round_activities(settings, store)]
        repositories = wiring.repo_activities(loaded, store, workshop, owner=owner)
        notices = wiring.notice_activities(settings, store)
        workers = [
            hire_for(options.queue, records, options.activities),
            hire_for(settings.repo_queue, repositories, options.repo_activities + options.remote_waits),
            hire_for(notice_queue(options.queue), notices, NOTICES_AT_ONCE),
            hire_for(scholarly_queue(options.queue), registries, settings.scholarly.at_once),
        ]
        await worker_process.serve(client, workers, on_ready, asks_for="activities")


def _widen_threads(options: WorkerSettings) -> None:
    """Give asynchronous steps threads enough for every slot: a few that hang must not hold up the rest."""
    at_once = options.activities + options.repo_activities + options.remote_waits
    threads = ThreadPoolExecutor(at_once, thread_name_prefix="steps")
    asyncio.get_running_loop().set_default_executor(threads)
