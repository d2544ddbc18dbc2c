"""The life of a worker process: beats from the start, work until a signal, nothing half-done at the end."""

import asyncio
import os
import signal
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager

import structlog
from temporalio.client import Client
from temporalio.worker import Worker

from workers.health_endpoint import health_endpoint
from workers.liveness import BEAT_S, Tell
from workers.process_health import Vitals
from workers.readiness import checks_of, polls
from workers.running_activities import UnderWay
from workers.settings import Settings

LOOK_S = 10.0
"""How often a process asks by itself whether it could work."""
READY_POLL_S = 0.02
SETTLE_S = 3.0
"""How long activities that were given up may take to notice, before the process ends under them."""


class Life:
    """What ``living`` yields."""

    def __init__(self, settings: Settings, vitals: Vitals, tell: Tell) -> None:
        self._settings = settings
        self._vitals = vitals
        self._tell = tell
        self._stopped = asyncio.Event()
        self._last_resort: threading.Timer | None = None

    @property
    def under_way(self) -> UnderWay:
        """Counts activities; every worker of the process must have it."""
        return self._vitals.under_way

    async def serve(self, client: Client, workers: Sequence[Worker], on_ready: Callable[[], None]) -> None:
        """Run the workers until SIGTERM or SIGINT, or until one of them fails.

        Activities get the grace period to finish; then they are cancelled, which makes Temporal give them
        to another worker. A second signal ends the process at once.
        """
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._told_to_stop, number)
        running = [asyncio.create_task(worker.run()) for worker in workers]
        waiting = asyncio.create_task(self._stopped.wait())
        greeting = asyncio.create_task(self._greet(client, workers, on_ready))
        await asyncio.wait([*running, waiting], return_when=asyncio.FIRST_COMPLETED)
        greeting.cancel()
        waiting.cancel()
        await asyncio.gather(
            *(worker.shutdown() for worker, task in zip(workers, running, strict=True) if not task.done())
        )
        self.beat()
        under_way = self.under_way
        log = structlog.get_logger()
        log.info("stopped", finished=under_way.finished, handed_back=under_way.handed_back)
        await asyncio.gather(*running)

    def beat(self) -> None:
        """Tell the supervisor that the loop came round, unless coming round is all that it does."""
        self._vitals.turn()
        if not self._vitals.under_way.clogged():
            self._tell(self._vitals.pulse())

    async def beating(self) -> None:
        """Beat for ever."""
        while True:
            self.beat()
            await asyncio.sleep(BEAT_S)

    async def looking(self) -> None:
        """Keep what a beat tells of readiness up to date, for ever."""
        while True:
            await self._vitals.ready()
            await asyncio.sleep(LOOK_S)

    def over(self) -> None:
        """The process ends by itself; it need not be ended."""
        if self._last_resort is not None:
            self._last_resort.cancel()

    async def _greet(self, client: Client, workers: Sequence[Worker], on_ready: Callable[[], None]) -> None:
        """Say that we are ready once the server has seen us ask for work; it has no event for that."""
        queues = [worker.task_queue for worker in workers]
        for queue in queues:
            while not await polls(client, queue):  # noqa: ASYNC110
                await asyncio.sleep(READY_POLL_S)
        self._vitals.work(checks_of(self._settings, client, queues))
        await self._vitals.ready()
        structlog.get_logger().info("ready", queues=queues, pid=os.getpid())
        self.beat()
        on_ready()

    def _told_to_stop(self, number: signal.Signals) -> None:
        log = structlog.get_logger()
        if self._stopped.is_set():
            log.warning("ends at once", signal=number.name, abandoned=len(self.under_way))
            os._exit(128 + number)
        self._vitals.drain()
        self._stopped.set()
        self.beat()
        grace_s = self._settings.worker.grace_s
        log.info("stopping", signal=number.name, under_way=len(self.under_way), grace_s=grace_s)
        self._last_resort = threading.Timer(grace_s + SETTLE_S, self._end)
        self._last_resort.daemon = True
        self._last_resort.start()

    def _end(self) -> None:
        """A thread that does not notice its cancellation must not keep a stopping process.

        Temporal learns of it by the heartbeats that stop, and another worker takes the activity.
        """
        structlog.get_logger().warning("ends without waiting longer", abandoned=len(self.under_way))
        os._exit(1)


@asynccontextmanager
async def living(settings: Settings, process: str, port: int | None, tell: Tell) -> AsyncIterator[Life]:
    """Beat, and answer for our health, while the block runs."""
    vitals = Vitals(process, UnderWay())
    life = Life(settings, vitals, tell)
    async with AsyncExitStack() as stack:
        stack.callback(life.over)
        if settings.health.enabled:
            endpoint = health_endpoint(vitals, settings.health.host, port)
            vitals.health = await stack.enter_async_context(endpoint)
            structlog.get_logger().info("health", at=vitals.health)
        for work in (life.beating(), life.looking()):
            stack.callback(asyncio.create_task(work).cancel)
        yield life
