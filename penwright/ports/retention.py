"""Port of deleting what is old."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from schemas.housekeeping import Cleared, RetentionDays


@dataclass(frozen=True, slots=True)
class UnderWay:
    """The runs that have not ended, and all that they name; nothing of it is deleted at any age."""

    workflow_ids: frozenset[str] = frozenset()
    digests: frozenset[str] = frozenset()
    """Every SHA-256 in their histories and in the inputs of schedules, in hexadecimal."""
    unread: tuple[str, ...] = ()
    """Runs and schedules that cannot be read, each with the reason: which texts and messages they still need
    is not known, so that none of these goes."""


class Retention(Protocol):
    """Deletes what is old from the store, in small transactions beside its writers. Calls block."""

    def clear(
        self, days: RetentionDays, under_way: UnderWay, *, only_look: bool = False
    ) -> Iterator[Cleared]:
        """Yield what went, table by table; a call that was interrupted is simply made again.

        Args:
            only_look: delete nothing. Texts that only rows name which would go are not counted.
        """
        ...
