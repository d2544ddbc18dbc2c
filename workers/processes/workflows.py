"""The process ``workflows``: it alone decides what comes next, and it alone is versioned."""

from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack

from temporalio.client import Interceptor

from workers import log_setup
from workers.agents import register_agents
from workers.health.liveness import ReportLiveness, discard_report
from workers.preparing import temporal as prepare
from workers.preparing.housekeeping import schedule_housekeeping_when_ready
from workers.processes.lifecycle import open_worker_process
from workers.processes.worker import connected, worker_of
from workers.settings import Loaded
from workers.temporal_plugin import WORKFLOWS
from workflows.unknown import UnknownWorkflow

PROCESS = "workflows"


async def run_workflows(
    loaded: Loaded,
    *,
    preparing: bool,
    on_ready: Callable[[], None],
    report: ReportLiveness = discard_report,
    interceptors: Sequence[Interceptor] = (),
) -> None:
    """Run workflows until SIGTERM.

    Args:
        preparing: prepare the namespace of an embedded Temporal first.
    """
    settings = loaded.settings
    log_setup.configure(settings.telemetry, process=PROCESS)
    register_agents(settings, file=loaded.file)  # a run's loop reads the definitions
    async with AsyncExitStack() as stack:
        worker_process = await stack.enter_async_context(
            open_worker_process(settings, PROCESS, settings.health.workflows_port, report)
        )
        worker_process.begin("connecting to Temporal")
        client = await connected(settings, process=PROCESS, interceptors=interceptors)
        if preparing and settings.embeds_temporal:
            worker_process.begin("preparing Temporal's namespace")
            await prepare.namespace_when_ready(
                client,
                retention_days=settings.engine.retention_days,
                patience_s=settings.engine.patience_s(embedded=True),
            )
            await schedule_housekeeping_when_ready(client, settings)
        options = settings.worker
        worker = worker_of(client, options, options.queue, (), 1, workflows=(*WORKFLOWS, UnknownWorkflow))
        await worker_process.serve(client, [worker], on_ready, asks_for="workflows")
