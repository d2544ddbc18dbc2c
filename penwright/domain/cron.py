"""Cron lines: values of their fields, times that they name, and lines that name no day of any year."""

import re
from dataclasses import dataclass
from datetime import date, datetime, time

_LONGEST = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
"""Days of each month, of February in a leap year."""
_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_WEEKDAYS = ("sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday")


@dataclass(frozen=True, slots=True)
class CronLine:
    """The values of its fields. As in Temporal, a day is named if day, month and weekday all name it."""

    times: tuple[time, ...]
    """Earliest first."""
    days: frozenset[int]
    months: frozenset[int]
    weekdays: frozenset[int]
    """Sunday is 0."""

    def names_day(self, day: date) -> bool:
        return (
            day.day in self.days
            and day.month in self.months
            and day.isoweekday() % len(_WEEKDAYS) in self.weekdays
        )

    def names(self, at: datetime) -> bool:
        return at.time() in self.times and self.names_day(at)


def read(cron: str) -> CronLine:
    """The line; ``ValueError`` for one that cannot be read."""
    minute, hour, day, month, weekday = cron.split()
    return CronLine(
        times=tuple(time(h, m) for h in values(hour, 0, 23) for m in values(minute, 0, 59)),
        days=frozenset(values(day, 1, 31)),
        months=frozenset(values(_numbered(month, _MONTHS, 1), 1, 12)),
        weekdays=frozenset(each % 7 for each in values(_numbered(weekday, _WEEKDAYS, 0), 0, 7)),
    )


def never_runs(cron: str) -> bool:
    """Whether no month that the line names has a day that it names; false for a line that cannot be read."""
    try:
        line = read(cron)
    except ValueError:
        return False
    return min(line.days) > max(_LONGEST[each - 1] for each in line.months)


def values(field: str, least: int, most: int) -> list[int]:
    """Values of a field such as ``*/15`` or ``1-5,20``; ``ValueError`` for one with names or mistakes."""
    found: set[int] = set()
    for part in field.split(","):
        span, _, step = part.partition("/")
        if span == "*":
            first, last = least, most
        else:
            low, _, high = span.partition("-")
            first = int(low)
            last = int(high) if high else (most if step else first)
        if not least <= first <= last <= most or (step and int(step) < 1):
            raise ValueError(field)
        found.update(range(first, last + 1, int(step or 1)))
    return sorted(found)


def _numbered(field: str, names: tuple[str, ...], first: int) -> str:
    """The field with ``2`` for ``feb``; a word that begins no name stays."""

    def number(word: re.Match[str]) -> str:
        known = (str(at) for at, name in enumerate(names, start=first) if name.startswith(word[0]))
        return next(known, word[0])

    return re.sub(r"[a-z]{2,}", number, field.lower())
