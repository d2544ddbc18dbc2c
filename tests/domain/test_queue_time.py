"""What part of a run's time it spent in queues."""

from datetime import UTC, datetime, timedelta

from penwright.domain.queue_time import Span, in_queues
from tests.support.each import for_each

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def span(begin: float, end: float) -> Span:
    """Minutes after noon."""
    return Span(NOON + timedelta(minutes=begin), NOON + timedelta(minutes=end))


@for_each(
    "spans, minutes",
    [
        ([], 0),
        ([span(0, 5)], 5),
        ([span(10, 12), span(0, 5)], 7),
        ([span(0, 5), span(2, 3), span(4, 9)], 9),
        ([span(-10, -5), span(-5, 2)], 2),
        ([span(3, 3), span(8, 7)], 0),
    ],
)
def test_waits_are_counted_once_and_only_in_the_runs_time(spans: list[Span], minutes: float) -> None:
    assert in_queues(spans, NOON) == timedelta(minutes=minutes)
