"""A connection to the engine that a long-lived process keeps."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager

from gateway.desk.engine.connection import Engine
from penwright.errors import EngineUnavailable


class KeptConnection:
    """Made when needed, and again after the engine was away.

    Args:
        opening: opens one; ``EngineUnavailable`` when nothing runs.
    """

    def __init__(self, opening: Callable[[], AbstractAsyncContextManager[Engine]]) -> None:
        self._opening = opening
        self._stack = AsyncExitStack()
        self._kept: Engine | None = None
        self._connecting = asyncio.Lock()

    @asynccontextmanager
    async def use(self) -> AsyncIterator[Engine]:
        """The connection, which stays open afterwards."""
        kept = await self._open()
        try:
            yield kept
        except EngineUnavailable:
            # An engine that was started again may listen elsewhere.
            if self._kept is kept:
                await self.close()
            raise

    async def close(self) -> None:
        self._kept = None
        await self._stack.aclose()

    async def _open(self) -> Engine:
        async with self._connecting:
            if self._kept is None:
                self._kept = await self._stack.enter_async_context(self._opening())
            return self._kept
