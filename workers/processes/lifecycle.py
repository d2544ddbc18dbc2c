"""One worker process: liveness reports from the start, work until a signal, then an orderly end."""

import asyncio
import os
import signal
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager

import structlog
from temporalio.client import Client
from temporalio.worker import Worker

from workers.health.endpoint import health_endpoint
from workers.health.liveness import REPORT_INTERVAL_S, ReportLiveness
from workers.health.process_health import Check, ProcessHealth
from workers.health.readiness import TaskKind, await_polling, checks_of
from workers.health.running_activities import RunningActivities
from workers.settings import Settings

CHECK_INTERVAL_S = 10.0
"""Interval of the process's own readiness checks when no probe asks."""
SETTLE_S = 3.0
"""Time for handed-back activities to notice their cancellation before the process exits."""


class WorkerProcess:
    """Runs the workers of this process and reports on them; made by ``open_worker_process``."""

    def __init__(self, settings: Settings, health: ProcessHealth, report: ReportLiveness) -> None:
        self._settings = settings
        self._health = health
        self._report = report
        self._stopped = asyncio.Event()
        self._last_resort: threading.Timer | None = None

    @property
    def under_way(self) -> RunningActivities:
        """Counts activities; an interceptor of every worker of the process."""
        return self._health.under_way

    async def serve(
        self, client: Client, workers: Sequence[Worker], on_ready: Callable[[], None], *, asks_for: TaskKind
    ) -> None:
        """Run the workers until SIGTERM or SIGINT, or until one of them fails.

        Activities get the grace period to finish; then they are cancelled, and Temporal gives them to
        another worker. A second signal ends the process at once.

        Args:
            asks_for: what the workers poll for.
        """
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._on_signal, number)
        running = [asyncio.create_task(worker.run()) for worker in workers]
        stopping = asyncio.create_task(self._stopped.wait())
        starting = asyncio.create_task(self._announce_ready(client, workers, on_ready, asks_for))
        await asyncio.wait([*running, stopping], return_when=asyncio.FIRST_COMPLETED)
        starting.cancel()
        stopping.cancel()
        await asyncio.gather(
            *(worker.shutdown() for worker, task in zip(workers, running, strict=True) if not task.done())
        )
        self.report_liveness()
        under_way = self.under_way
        log = structlog.get_logger()
        log.info("stopped", finished=under_way.finished, handed_back=under_way.handed_back)
        await asyncio.gather(*running)

    def report_liveness(self) -> None:
        """Report liveness, unless overdue activities hold every slot of a queue."""
        self._health.turn()
        if not self._health.under_way.blocked_queue():
            self._report(self._health.pulse())

    def begin(self, step: str) -> None:
        """Report the next step of the start."""
        self._health.step = step
        structlog.get_logger().info("starts", step=step)
        self._report(self._health.pulse())

    async def report_forever(self) -> None:
        """Report liveness every ``REPORT_INTERVAL_S``."""
        while True:
            self.report_liveness()
            await asyncio.sleep(REPORT_INTERVAL_S)

    async def check_forever(self) -> None:
        """Refresh the readiness that liveness reports carry, every ``CHECK_INTERVAL_S``."""
        while True:
            await self._health.ready()
            await asyncio.sleep(CHECK_INTERVAL_S)

    def cancel_forced_exit(self) -> None:
        """The process ends by itself: disarm the timer that would exit it."""
        if self._last_resort is not None:
            self._last_resort.cancel()

    async def _announce_ready(
        self,
        client: Client,
        workers: Sequence[Worker],
        on_ready: Callable[[], None],
        asks_for: TaskKind,
    ) -> None:
        """Report readiness once the server lists us as a poller of every queue."""
        queues = list(dict.fromkeys(worker.task_queue for worker in workers))
        self.begin("asking Temporal for work")
        await await_polling(client, queues, asks_for)
        structlog.get_logger().info("ready", queues=queues, pid=os.getpid())
        await self.announce(on_ready, checks_of(self._settings) if asks_for == "activities" else ())

    async def announce(self, on_ready: Callable[[], None], checks: Sequence[Check]) -> None:
        """Report that work is done from now on; readiness is what ``checks`` find."""
        self._health.work(checks)
        await self._health.ready()
        self.report_liveness()
        on_ready()

    def _on_signal(self, number: signal.Signals) -> None:
        log = structlog.get_logger()
        if self._stopped.is_set():
            log.warning("ends at once", signal=number.name, abandoned=len(self.under_way))
            os._exit(128 + number)
        self._health.drain()
        self._stopped.set()
        self.report_liveness()
        grace_s = self._settings.worker.grace_s
        log.info("stopping", signal=number.name, under_way=len(self.under_way), grace_s=grace_s)
        self._last_resort = threading.Timer(grace_s + SETTLE_S, self._force_exit)
        self._last_resort.daemon = True
        self._last_resort.start()

    def _force_exit(self) -> None:
        """Exit although a thread ignores cancellation.

        Temporal misses the heartbeats of its activity and gives it to another worker.
        """
        structlog.get_logger().warning("ends without waiting longer", abandoned=len(self.under_way))
        os._exit(1)


@asynccontextmanager
async def open_worker_process(
    settings: Settings, process: str, port: int | None, report: ReportLiveness
) -> AsyncIterator[WorkerProcess]:
    """Report liveness and serve the health endpoint while the block runs."""
    health = ProcessHealth(process, RunningActivities())
    worker_process = WorkerProcess(settings, health, report)
    async with AsyncExitStack() as stack:
        stack.callback(worker_process.cancel_forced_exit)
        if settings.health.enabled:
            endpoint = health_endpoint(health, settings.health.host, port)
            health.health = await stack.enter_async_context(endpoint)
            structlog.get_logger().info("health", at=health.health)
        for work in (worker_process.report_forever(), worker_process.check_forever()):
            stack.callback(asyncio.create_task(work).cancel)
        yield worker_process
