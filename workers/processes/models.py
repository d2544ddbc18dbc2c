"""The process ``models``: calls to language models, and the prompts and memories of scenes."""

from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from functools import partial

from temporalio.client import Interceptor

from workers import log_setup, scene_wiring, store_opening, wiring
from workers.health.liveness import ReportLiveness, discard_report
from workers.preparing.tables import prepare_tables
from workers.processes.lifecycle import open_worker_process
from workers.processes.worker import connected, worker_of
from workers.settings import Loaded
from workflows.options import briefs_queue

PROCESS = "models"
BRIEFS_AT_ONCE = 4
"""Prompts of scenes that are made at the same time; counting tokens is work for the processor."""


async def run_models(
    loaded: Loaded,
    *,
    on_ready: Callable[[], None],
    report: ReportLiveness = discard_report,
    interceptors: Sequence[Interceptor] = (),
) -> None:
    """Run calls to language models until SIGTERM; only this process holds providers' keys."""
    settings, options = loaded.settings, loaded.settings.worker
    log_setup.configure(settings.telemetry, process=PROCESS)
    async with AsyncExitStack() as stack:
        worker_process = await stack.enter_async_context(
            open_worker_process(settings, PROCESS, settings.health.models_port, report)
        )
        worker_process.begin("connecting to Temporal")
        client = await connected(settings, process=PROCESS, interceptors=interceptors)
        worker_process.begin("preparing the tables")
        await prepare_tables(settings, preparing=False)
        worker_process.begin("opening the models and the store")
        activities = await stack.enter_async_context(wiring.model_activities(loaded))
        store = store_opening.open_store_of(settings, live_caps=wiring.LiveCaps(loaded))
        stack.callback(store.close)
        hire_for = partial(worker_of, client, options, under_way=worker_process.under_way)
        workers = [
            hire_for(
                options.model_queue,
                activities,
                options.model_activities + options.model_waits,
                per_second=options.model_calls_per_second,
            ),
            hire_for(
                briefs_queue(options.model_queue),
                scene_wiring.brief_activities(loaded, store),
                BRIEFS_AT_ONCE,
            ),
        ]
        await worker_process.serve(client, workers, on_ready, asks_for="activities")
