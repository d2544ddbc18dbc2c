"""Limits on how much and how often a caller may send."""

import asyncio
import re
import time
from math import ceil

from limits import RateLimitItem, parse
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter
from starlette.exceptions import HTTPException
from starlette.types import Message, Receive

from penwright.domain.text.merging.changesets import MOST_UNITS

BODY = 1_000_000
"""Bytes of an ordinary request."""
LARGE_BODY = 16 * 1024 * 1024
"""Bytes of a request with a text or a file."""
LARGEST_CHANGE = 6 * MOST_UNITS + 100_000
"""Bytes of a change of a draft: JSON takes up to six for a unit, and whatever the editor holds is taken."""
SILENCE_S = 30.0
"""Time the next part of a body may take."""
SLOWEST = 1000
"""Bytes a second that a body has to come with on the whole."""
_LARGE = re.compile(
    r"/api/v1/books/[^/]+/text/|/api/v1/manuscripts/[^/]+/[^/]+$|/api/v1/.*/?imports?$|/ui/_nicegui/"
)
_CHANGE = re.compile(r"/api/v1/drafts/[^/]+/changes")
_FAILURES = parse("30/minute")
_REQUESTS = parse("1200/minute")


class BoundedBody:
    """A ``receive`` that counts the bytes of the body, and the time for which they are waited for.

    Both are limited: the silence between two parts by ``SILENCE_S``, and the waiting altogether by that and
    the time in which a line of ``SLOWEST`` bytes a second brings what has come. How long the application
    takes between two parts does not count, and no limit holds once the body is complete.
    """

    def __init__(self, receive: Receive, most: int) -> None:
        self._receive = receive
        self._most = most
        self._taken = 0
        self._waited = 0.0
        self._complete = False

    async def __call__(self) -> Message:
        """Raises ``HTTPException`` 413 at the first byte too many, 408 if they come too slowly."""
        message = await (self._receive() if self._complete else self._in_time())
        if message["type"] == "http.request":
            self._taken += len(message.get("body", b""))
            self._complete = not message.get("more_body", False)
            if self._taken > self._most:
                raise HTTPException(413, "the body is too large")
        return message

    async def _in_time(self) -> Message:
        left = SILENCE_S + self._taken / SLOWEST - self._waited
        began = time.monotonic()
        try:
            async with asyncio.timeout(min(SILENCE_S, left)):
                return await self._receive()
        except TimeoutError:
            raise HTTPException(408, "the body came too slowly", headers={"connection": "close"}) from None
        finally:
            self._waited += time.monotonic() - began


def largest_body(path: str) -> int:
    """Most bytes of a request to ``path``."""
    if _CHANGE.fullmatch(path):
        return LARGEST_CHANGE
    return LARGE_BODY if _LARGE.search(path) else BODY


class Rates:
    """Counts requests, in the memory of this process."""

    def __init__(self) -> None:
        self._storage = MemoryStorage()
        self._limiter = MovingWindowRateLimiter(self._storage)

    def failed(self, address: str) -> int:
        """Count a failed sign-in; returns 0, or the seconds for which this address gets no further try."""
        return self._wait(_FAILURES, "failures", address)

    def asked(self, caller: str) -> int:
        """Count a request; returns 0, or the seconds to wait."""
        return self._wait(_REQUESTS, "requests", caller)

    def _wait(self, limit: RateLimitItem, kind: str, who: str) -> int:
        if self._limiter.hit(limit, kind, who):
            return 0
        window = self._limiter.get_window_stats(limit, kind, who)
        return max(1, ceil(window.reset_time - time.time()))
