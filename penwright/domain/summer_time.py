"""Runs of cron lines at local times that do not exist, since the clock was put forward over them."""

from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, time, timedelta, tzinfo

from penwright.domain.cron import CronLine, read

_DAY = timedelta(days=1)


def runs_after_gaps(crons: Sequence[str], zone: tzinfo, first: date, days: int) -> tuple[datetime, ...]:
    """Local times after the gaps of ``days`` days, for what the lines name within the gaps.

    A run is later by as much as the clock was put forward: 02:30 becomes 03:30. There is one for each gap, of
    the first time within it, and none where the lines name that later time themselves.
    """
    try:
        lines = [read(cron) for cron in crons]
    except ValueError:
        return ()
    every = (first + number * _DAY for number in range(days))
    return tuple(at for day in every if _put_forward(day, zone) for at in _after_gap(lines, day, zone))


def _put_forward(day: date, zone: tzinfo) -> bool:
    return _offset(day + _DAY, zone) > _offset(day, zone)


def _offset(day: date, zone: tzinfo) -> timedelta:
    """As the day begins; before the change if it begins with one."""
    return datetime.combine(day, time(), zone).utcoffset() or timedelta()


def _after_gap(lines: Sequence[CronLine], day: date, zone: tzinfo) -> Iterator[datetime]:
    named = {datetime.combine(day, at) for line in lines if line.names_day(day) for at in line.times}
    for at in sorted(named):
        later = _existing(at, zone)
        if later != at:
            if not any(line.names(later) for line in lines):
                yield later
            return


def _existing(at: datetime, zone: tzinfo) -> datetime:
    """The same local time; that after the gap for one within a gap."""
    return at.replace(tzinfo=zone).astimezone(UTC).astimezone(zone).replace(tzinfo=None)
