"""Waiting for work of the engine to end."""

import asyncio
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
    """Waits without showing anything, and raises ``TimeoutError`` after so many seconds."""

    async def wait(awaited: Awaitable[_T], progress: Callable[[], Awaitable[Progress | None]], /) -> _T:
        return await asyncio.wait_for(awaited, seconds)

    return wait
