"""Spreading of schedules: each subject starts by its own stable delay after the time that was asked for."""

from collections import defaultdict
from datetime import timedelta
from hashlib import sha256

from penwright.domain.cron import read

_DAY = 24 * 60
_WEEK = 7


def delay(subject: str, window: timedelta) -> timedelta:
    """The subject's delay: whole minutes, less than ``window``, the same each time."""
    minutes = int(window.total_seconds()) // 60
    return timedelta(minutes=int(sha256(subject.encode()).hexdigest(), 16) % minutes if minutes else 0)


def room(cron: str) -> timedelta:
    """The time that every delay of a cron line is less than; ``ValueError`` if it cannot be read.

    It is the shortest gap between two times of a day, or the rest of the day where a date is given.
    """
    times = [at.hour * 60 + at.minute for at in read(cron).times]
    _, _, day, month, _ = cron.split()
    rest = _DAY if (day, month) == ("*", "*") else _DAY - times[-1]
    return timedelta(minutes=min(_shortest_gap(times), rest))


def spread_cron(cron: str, subject: str, window: timedelta) -> tuple[str, ...]:
    """Cron lines for ``cron`` with the subject's delay.

    The delay is less than the line's ``room``. A line that cannot be read is returned as it is.
    """
    try:
        line = read(cron)
    except ValueError:
        return (cron,)
    _, _, day, month, weekday = cron.split()
    times = [at.hour * 60 + at.minute for at in line.times]
    days = None if weekday == "*" else sorted(line.weekdays)
    minutes = int(delay(subject, min(window, room(cron))).total_seconds()) // 60
    if not minutes:
        return (cron,)
    lines: dict[tuple[int, int], list[int]] = defaultdict(list)
    for time in times:
        later, passed = (time + minutes) % _DAY, (time + minutes) // _DAY
        lines[later % 60, passed].append(later // 60)
    return tuple(
        f"{at} {','.join(map(str, hours))} {day} {month} {_shifted(days, passed)}"
        for (at, passed), hours in sorted(lines.items())
    )


def _shifted(days: list[int] | None, passed: int) -> str:
    return "*" if days is None else ",".join(str((each + passed) % _WEEK) for each in days)


def _shortest_gap(times: list[int]) -> int:
    """Minutes; of one time a day, a day."""
    return min((later - earlier) for earlier, later in zip(times, [*times[1:], times[0] + _DAY], strict=True))
