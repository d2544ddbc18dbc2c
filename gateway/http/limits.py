"""How much and how often a caller may send."""

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
_LARGE = re.compile(
    r"/api/v1/books/[^/]+/text/|/api/v1/manuscripts/[^/]+/[^/]+$|/api/v1/.*/?imports?$|/ui/_nicegui/"
)
_CHANGE = re.compile(r"/api/v1/drafts/[^/]+/changes")
_FAILURES = parse("30/minute")
_REQUESTS = parse("1200/minute")


class BoundedBody:
    """A ``receive`` that counts the bytes of the body while they are read."""

    def __init__(self, receive: Receive, most: int) -> None:
        self._receive = receive
        self._left = most

    async def __call__(self) -> Message:
        """Raises ``HTTPException`` 413 at the first byte too many; frameworks answer it."""
        message = await self._receive()
        if message["type"] == "http.request":
            self._left -= len(message.get("body", b""))
            if self._left < 0:
                raise HTTPException(413, "the body is too large")
        return message


def largest_body(path: str) -> int:
    """How many bytes a request to ``path`` may have."""
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
