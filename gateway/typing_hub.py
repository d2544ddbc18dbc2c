"""Pieces of replies for many readers in one process: one connection to the database, a queue for each."""

import asyncio
import logging
from collections import defaultdict
from collections.abc import AsyncGenerator
from contextlib import suppress

from gateway.desk.scene.numbers import number_in
from gateway.desk.services import Services
from penwright.errors import PenwrightError
from schemas.deltas import Delta

WAITING = 500
"""Pieces that a slow reader may be behind; older ones are dropped."""
_AGAIN_S = 1.0

_log = logging.getLogger(__name__)


class Typing:
    """Follows what is written in all scenes while there are readers, from one event loop."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._readers: defaultdict[str, set[asyncio.Queue[Delta]]] = defaultdict(set)
        self._following: asyncio.Task[None] | None = None
        self._newest: dict[str, tuple[int, int]] = {}
        """By scene, id and number of the round that was heard of last."""

    @property
    def readers(self) -> int:
        """Number of readers now."""
        return sum(map(len, self._readers.values()))

    async def of(self, scene: str, patience_s: float) -> AsyncGenerator[Delta | None]:
        """Pieces that come from now on, in order; None whenever none came for so long. May lose some."""
        queue: asyncio.Queue[Delta] = asyncio.Queue(WAITING)
        self._readers[scene].add(queue)
        if self._following is None or self._following.done():
            self._following = asyncio.create_task(self._follow())
        try:
            while True:
                try:
                    yield await asyncio.wait_for(queue.get(), patience_s)
                except TimeoutError:
                    yield None
        finally:
            self._leave(scene, queue)

    def _leave(self, scene: str, queue: "asyncio.Queue[Delta]") -> None:
        self._readers[scene].discard(queue)
        if not self._readers[scene]:
            del self._readers[scene]
        if not self._readers and self._following is not None:
            self._following.cancel()
            self._following = None

    async def _follow(self) -> None:
        while True:
            try:
                async with self._services.deltas() as feed:
                    async for delta in feed.follow():
                        readers = tuple(self._readers.get(delta.scene, ()))
                        told = await asyncio.to_thread(self._numbered, delta) if readers else delta
                        for queue in readers:
                            _put(queue, told)
            except PenwrightError as error:
                _log.warning("replies cannot be followed while they are written: %s", error.message)
            await asyncio.sleep(_AGAIN_S)

    def _numbered(self, delta: Delta) -> Delta:
        """With the number of its round, which is asked for once while the round runs."""
        id, number = self._newest.get(delta.scene, (0, 0))
        if id != delta.round:
            number = number_in(self._services, delta.scene, delta.round)
            self._newest[delta.scene] = (delta.round, number)
        return delta.model_copy(update={"round": number})


def _put(queue: "asyncio.Queue[Delta]", delta: Delta) -> None:
    if queue.full():
        with suppress(asyncio.QueueEmpty):
            queue.get_nowait()
    queue.put_nowait(delta)
