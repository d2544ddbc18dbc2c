"""Waiting for work of the engine to end."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Protocol, TypeVar

from schemas.base import Progress

_T = TypeVar("_T")


class Wait(Protocol):
    """Awaits something; meanwhile it may show what the second argument returns."""

    async def __call__(
        self, awaited: Awaitable[_T], progress: Callable[[], Awaitable[Progress | None]], /
    ) -> _T: ...


async def quietly(awaited: Awaitable[_T], progress: Callable[[], Awaitable[Progress | None]], /) -> _T:
    """Wait without showing anything."""
    return await awaited


def at_most(seconds: float) -> Wait:
    """Waits without showing anything, and raises ``TimeoutError`` so many seconds from now, however often."""
    ends = time.monotonic() + seconds

    async def wait(awaited: Awaitable[_T], progress: Callable[[], Awaitable[Progress | None]], /) -> _T:
        return await asyncio.wait_for(awaited, ends - time.monotonic())

    return wait
