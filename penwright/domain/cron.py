"""Cron lines of five fields: the times and days that they name, as Temporal reads them."""

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

    @property
    def never_runs(self) -> bool:
        """Whether no month that it names has a day that it names."""
        return min(self.days) > max(_LONGEST[each - 1] for each in self.months)


@dataclass(frozen=True, slots=True)
class _Field:
    name: str
    least: int
    most: int
    words: tuple[str, ...] = ()
    """Names of its values, of ``least`` and onwards."""
    letters: int = 3
    """With which a word may be cut short."""

    def values(self, field: str) -> frozenset[int]:
        """Those of a field such as ``*/15`` or ``1-5,20``; ``ValueError`` says what is wrong."""
        return frozenset(each for part in field.split(",") for each in self._part(part))

    def _part(self, part: str) -> range:
        span, stepped, step = part.partition("/")
        low, to, high = span.partition("-")
        if span == "*":
            first, last = self.least, self.most
        else:
            first = self._value(low)
            last = self._value(high) if to else (self.most if stepped else first)
        if first > last:
            raise ValueError(f"the {self.name} {span!r} goes backwards")
        if stepped and not (_NUMBER.fullmatch(step) and int(step)):
            raise ValueError(f"the {self.name} {part!r} has the step {step!r}, not a number from 1")
        return range(first, last + 1, int(step or 1))

    def _value(self, text: str) -> int:
        if _NUMBER.fullmatch(text) and self.least <= int(text) <= self.most:
            return int(text)
        if len(text) >= self.letters:
            for value, word in enumerate(self.words, start=self.least):
                if word.startswith(text.lower()):
                    return value
        named = f", and not {self.words[0]} to {self.words[-1]}" if self.words else ""
        raise ValueError(f"the {self.name} {text!r} is not within {self.least}-{self.most}{named}")


_NUMBER = re.compile(r"\+?[0-9]{1,9}")
_FIELDS = (
    _Field("minute", 0, 59),
    _Field("hour", 0, 23),
    _Field("day", 1, 31),
    _Field("month", 1, 12, _MONTHS),
    _Field("weekday", 0, 7, _WEEKDAYS, letters=2),
)


def read(cron: str) -> CronLine:
    """The line; ``ValueError`` says which field is wrong, and what it may be."""
    given = cron.split()
    if len(given) != len(_FIELDS):
        raise ValueError(f"it has {len(given)} {'field' if len(given) == 1 else 'fields'}, not five")
    minutes, hours, days, months, weekdays = (
        kind.values(field) for kind, field in zip(_FIELDS, given, strict=True)
    )
    return CronLine(
        times=tuple(time(h, m) for h in sorted(hours) for m in sorted(minutes)),
        days=days,
        months=months,
        weekdays=frozenset(each % len(_WEEKDAYS) for each in weekdays),
    )
