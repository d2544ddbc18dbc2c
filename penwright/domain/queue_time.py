"""Part of a run's time that it spent in queues."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import NamedTuple


class Span(NamedTuple):
    """From when until when one activity waited."""

    begin: datetime
    end: datetime


def in_queues(spans: Iterable[Span], since: datetime) -> timedelta:
    """Return how long at least one activity waited, ``since`` then; what overlaps counts once."""
    total, counted = timedelta(), since
    for begin, end in sorted(spans):
        if end > max(begin, counted):
            total += end - max(begin, counted)
            counted = end
    return total
