"""Entries of Temporal schedules for the nights on which summer time begins."""

from collections.abc import Sequence
from zoneinfo import ZoneInfo

from temporalio.client import ScheduleCalendarSpec, ScheduleRange

from penwright.adapters.clock import SystemClock
from penwright.domain.summer_time import runs_after_gaps

_DAYS = 3 * 366
"""Days ahead; a schedule that is written again reaches as far from that day."""


def calendars_after_gaps(crons: Sequence[str], time_zone: str) -> list[ScheduleCalendarSpec]:
    """Find the times that Temporal leaves out of the lines: after the gaps of the coming three years."""
    zone = ZoneInfo(time_zone)
    today = SystemClock().now().astimezone(zone).date()
    return [
        ScheduleCalendarSpec(
            minute=[ScheduleRange(at.minute)],
            hour=[ScheduleRange(at.hour)],
            day_of_month=[ScheduleRange(at.day)],
            month=[ScheduleRange(at.month)],
            year=[ScheduleRange(at.year)],
            comment="the clock is put forward over the time of this day",
        )
        for at in runs_after_gaps(crons, zone, today, _DAYS)
    ]
