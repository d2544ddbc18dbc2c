"""Pace at which something is used up, and the time when a cap on it is reached."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Final

DAYS: Final = 7
"""Days, today included, whose use is the pace."""
_LEAST: Final = timedelta(hours=1)
"""The first minutes of use say nothing about a day."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """Outlook of a cap at the pace of the last seven days."""

    expected: int | None
    """Used by the end of the period; None for a period without an end."""
    reached_at: datetime | None
    """When the cap is reached; None: not within the period, or never. In the past: it is reached already."""


def per_second(by_day: Mapping[date, int], now: datetime) -> float:
    """The mean use since the first of the last days on which anything was used."""
    today = now.astimezone(UTC).date()
    recent = {day: used for day, used in by_day.items() if used and today - timedelta(DAYS) < day <= today}
    if not recent:
        return 0.0
    passed = max(_LEAST, now - datetime.combine(min(recent), time(), UTC))
    return sum(recent.values()) / passed.total_seconds()


def forecast(used: int, cap: int, pace: float, now: datetime, until: datetime | None = None) -> Forecast:
    """The outlook of ``used`` of ``cap`` at ``pace`` a second; ``until``: the end of the period."""
    expected = None if until is None else used + round(pace * (until - now).total_seconds())
    if used >= cap:
        return Forecast(expected, now)
    if not pace:
        return Forecast(expected, None)
    # A cap that lasts for centuries is never reached.
    seconds = min((cap - used) / pace, timedelta(days=36_500).total_seconds())
    at = now + timedelta(seconds=seconds)
    within = at <= until if until is not None else seconds < timedelta(days=36_500).total_seconds()
    return Forecast(expected, at if within else None)


def end_of_day(now: datetime) -> datetime:
    """The midnight, in UTC, at which the caps of a day begin anew."""
    return datetime.combine(now.astimezone(UTC).date() + timedelta(days=1), time(), UTC)
