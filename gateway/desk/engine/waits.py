"""Waiting for work of the engine to end."""

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
