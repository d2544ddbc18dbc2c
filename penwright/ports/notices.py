"""Ports of notifications."""

from collections.abc import Mapping
from typing import Protocol

from schemas.notices import Notice


class Outbox(Protocol):
    """Takes notifications that are sent later, while the caller goes on."""

    async def post(self, notice: Notice) -> None:
        """Have ``notice`` sent once; repeating its key is harmless."""
        ...


class Notices(Protocol):
    """Which notifications were sent, by key."""

    def claim(self, key: str) -> bool:
        """Return True to send now, False if it was sent; ``PassingError`` while another attempt sends."""
        ...

    def done(self, key: str) -> None:
        """Record that it was sent: no claim succeeds again."""
        ...

    def release(self, key: str) -> None:
        """Release the claim of a notification that could not be sent."""
        ...


class Notifier(Protocol):
    """Notifies people."""

    def notify(self, *, title: str, body: str, key: str, data: Mapping[str, object]) -> tuple[str, ...]:
        """Send to every channel; returns those that failed. A channel gets each ``key`` once."""
        ...
