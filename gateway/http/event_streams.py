"""Common parts of streams of server-sent events: how many there may be, how long they last, their headers."""

import asyncio
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from gateway.desk.access import Access
from penwright.errors import PassingError
from schemas.web import Credential

MOST_STREAMS = 6
"""Of one credential: browsers open no more connections to one host."""
LIFETIME_S = 15 * 60
"""A stream ends after this time, so that a revoked token or a new version takes effect."""
JITTER_S = 60
CHECKED_EVERY_S = 1.0
"""For this long after its end a credential may still be told of events."""
HEADERS: Final = {"x-accel-buffering": "no", "cache-control": "no-store"}
# Any: OpenAPI.
STREAMED: Final[dict[int | str, dict[str, Any]]] = {
    200: {"content": {"text/event-stream": {}}, "description": "one event after the other"}
}


class Streams:
    """Count of each credential's open streams."""

    def __init__(self) -> None:
        self._open: Counter[str] = Counter()

    def refuse_more(self, credential: Credential) -> None:
        """Raise ``PassingError`` ``too-many-streams`` if there is no room for another."""
        if self._open[credential.id] >= MOST_STREAMS:
            raise PassingError("too-many-streams", f"there are {MOST_STREAMS} streams open already")

    @contextmanager
    def counted(self, credential: Credential) -> Iterator[None]:
        """Count a stream while the block runs."""
        self._open[credential.id] += 1
        try:
            yield
        finally:
            self._open[credential.id] -= 1
            if not self._open[credential.id]:
                del self._open[credential.id]


class Standing:
    """Whether the credential of a stream is still valid; the store is asked now and then."""

    def __init__(self, access: Access, credential: Credential) -> None:
        self._access = access
        self._credential = credential
        self._due = asyncio.get_running_loop().time() + CHECKED_EVERY_S

    async def ended(self, *, idle: bool) -> bool:
        """Whether it has ended, as far as is known.

        Args:
            idle: nothing is to be told, so that the store is asked in any case.
        """
        now = asyncio.get_running_loop().time()
        if not idle and now < self._due:
            return False
        self._due = now + CHECKED_EVERY_S
        return not await asyncio.to_thread(self._access.valid, self._credential)
