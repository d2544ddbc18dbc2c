"""Timetables: rhythms in plain words, cron lines made of plain choices, and the times of the next runs."""

import re
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Final
from zoneinfo import ZoneInfo

from nicegui.element import Element

from gateway.ui.elements.moments import relative_time
from penwright.errors import UsageMistake

DAILY: Final = {"* * *": "every day", "* * 1-5": "Monday to Friday", "* * 0,6": "Saturday and Sunday"}
"""The last three fields of a cron line, and what they mean."""
WEEKDAYS: Final = {
    f"* * {number}": f"every {name}"
    for number, name in (
        *((1, "Monday"), (2, "Tuesday"), (3, "Wednesday"), (4, "Thursday"), (5, "Friday")),
        *((6, "Saturday"), (0, "Sunday")),
    )
}
_TIME = re.compile(r"([01]?[0-9]|2[0-3]):([0-5][0-9])")
_SIMPLE = re.compile(r"cron ([0-9]{1,2}) ([0-9]{1,2}) (\S+ \S+ \S+)(?: within (\w+))?")


def cron_line(at: str, days: str) -> str:
    """A line of five fields from a time such as ``06:30`` and the last three fields.

    Raises:
        UsageMistake: ``bad-time``.
    """
    found = _TIME.fullmatch(at.strip())
    if found is None or days not in DAILY | WEEKDAYS:
        raise UsageMistake(
            "bad-time", f"{at!r} is no time of day", hint="give hour and minute, such as 06:30"
        )
    return f"{int(found[2])} {int(found[1])} {days}"


def rhythm_in_words(rhythm: str) -> str:
    """``cron 30 6 * * 1-5 within 30m`` as *Monday to Friday at 06:30, within 30m*; others as they are."""
    found = _SIMPLE.fullmatch(rhythm)
    days = (DAILY | WEEKDAYS).get(found[3]) if found else None
    if found is None or days is None:
        return rhythm
    within = f", within {found[4]}" if found[4] else ""
    return f"{days} at {int(found[2]):02}:{found[1]:0>2}{within}"


def local_time(at: datetime, time_zone: str) -> str:
    """When it is there: *Mon 30 Nov, 06:30*."""
    return f"{at.astimezone(ZoneInfo(time_zone)):%a %-d %b, %H:%M}"


_FILES = Path(__file__).parents[1] / "editor"


class RunTimes(Element, component=_FILES / "run_times.js"):
    """The times in the zone of the browser, each with that of the timetable where the two differ."""

    def __init__(self, runs: Sequence[datetime], zone: str, now: datetime | None = None) -> None:
        """``now``: say how long it is until then, too."""
        super().__init__()
        self._props["zone"] = zone
        self._props["runs"] = [
            {
                "at": at.isoformat(),
                "there": local_time(at, zone),
                "told": relative_time(at, now) if now else "",
            }
            for at in runs
        ]
