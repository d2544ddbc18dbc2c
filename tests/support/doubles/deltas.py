"""In-memory double of the notifications that carry pieces of replies."""

import asyncio
from collections.abc import AsyncIterator
from threading import Lock

from schemas.deltas import Delta
from schemas.scene import Author


class MemoryDeltas:
    """Implements ``Deltas`` and ``DeltaFeed`` within one process; ``sent`` is all there was."""

    def __init__(self) -> None:
        self.sent: list[Delta] = []
        self._readers: dict[asyncio.Queue[Delta], asyncio.AbstractEventLoop] = {}
        self._lock = Lock()

    def send(self, scene: str, round: int, character: str, piece: str, position: int, author: Author) -> None:
        delta = Delta(scene=scene, round=round, character=character, piece=piece, position=position)
        with self._lock:
            self.sent.append(delta)
            readers = tuple(self._readers.items())
        for waiting, loop in readers:
            loop.call_soon_threadsafe(waiting.put_nowait, delta)

    async def follow(self, scene: str = "") -> AsyncIterator[Delta]:
        waiting: asyncio.Queue[Delta] = asyncio.Queue()
        self._readers[waiting] = asyncio.get_running_loop()
        try:
            while True:
                if scene in ("", (delta := await waiting.get()).scene):
                    yield delta
        finally:
            del self._readers[waiting]
