"""Port of the time."""

from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    """The time outside workflows."""

    def now(self) -> datetime:
        """Return the current time, timezone-aware, in UTC."""
        ...
