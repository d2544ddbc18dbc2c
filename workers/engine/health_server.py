"""The engine's own health endpoint, answered while the supervisor waits: an answer shows that it is alive."""

import asyncio
from collections.abc import Callable, Collection

from workers.engine import condition
from workers.engine.silence import asked_again
from workers.health.answers import Answer, url
from workers.health.endpoint import health_app, health_socket
from workers.home.folder import Home, Record
from workers.http_server import serving
from workers.settings import HealthSettings


class HealthServer:
    """A server without a thread: requests are read and answered in ``wait`` and nowhere else."""

    def __init__(self, health: HealthSettings, home: Home, record: Callable[[], Record]) -> None:
        """``record`` returns the record of this moment; its processes are asked whether they answer.

        Raises:
            PermanentError: ``port-taken``.
        """
        advice = "choose another health.host or health.engine_port"
        listening = health_socket("the engine's health endpoint", health.host, health.engine_port, advice)

        async def ready() -> Answer:
            return condition.ready(await asked_again(home, record()))

        self.url = url(health.host, listening.getsockname()[1])
        self._loop = asyncio.new_event_loop()
        self._serving = serving(health_app(lambda: condition.alive(record()), ready), listening)
        self._loop.run_until_complete(self._serving.__aenter__())

    def wait(self, descriptors: Collection[int], seconds: float) -> set[int]:
        """Answer requests for ``seconds``, or until a descriptor is readable; returns the readable ones."""
        readable: set[int] = set()
        woken = asyncio.Event()

        def note(descriptor: int) -> None:
            readable.add(descriptor)
            woken.set()

        for descriptor in descriptors:
            self._loop.add_reader(descriptor, note, descriptor)
        try:
            self._loop.run_until_complete(_until(woken, seconds))
        finally:
            for descriptor in descriptors:
                self._loop.remove_reader(descriptor)
        return readable

    def close(self) -> None:
        """Stop answering."""
        self._loop.run_until_complete(self._serving.__aexit__(None, None, None))
        self._loop.close()


async def _until(woken: asyncio.Event, seconds: float) -> None:
    try:
        async with asyncio.timeout(seconds):
            await woken.wait()
    except TimeoutError:
        return
