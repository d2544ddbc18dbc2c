"""What streams of server-sent events share: how many there may be, how long they last, their headers."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from penwright.errors import PassingError
from schemas.web import Credential

MOST_STREAMS = 6
"""Of one credential: browsers open no more connections to one host."""
LIFETIME_S = 15 * 60
"""A stream ends after this time, so that a revoked token or a new version takes effect."""
JITTER_S = 60
HEADERS: Final = {"x-accel-buffering": "no", "cache-control": "no-store"}
# Any: OpenAPI.
STREAMED: Final[dict[int | str, dict[str, Any]]] = {
    200: {"content": {"text/event-stream": {}}, "description": "one event after the other"}
}


class Streams:
    """How many streams each credential has open."""

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
