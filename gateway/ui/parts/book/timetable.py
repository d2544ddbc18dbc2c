"""A book written at set times."""

import re

from nicegui import ui

from gateway.desk.book import schedules
from gateway.desk.book.books import Book
from gateway.ui import addresses
from gateway.ui.frame import Frame
from gateway.ui.parts.acting import action
from gateway.ui.parts.html import box, link, text
from gateway.ui.parts.moments import told
from gateway.ui.visit import Visit
from penwright.errors import UsageMistake

_DAYS = {
    "* * *": "every day",
    "* * 1-5": "Monday to Friday",
    "* * 0,6": "Saturday and Sunday",
    "* * 1": "every Monday",
}
"""The last three fields of a cron line, and what they mean."""
_TIME = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)")


def timetable(visit: Visit, made: Frame, book: Book) -> None:
    """A folded form that makes the book's timetable, or replaces the one there is."""
    with box("details", classes="others"):
        text("summary", "Write on a timetable")
        with box(classes="asked"):
            days = ui.select(_DAYS, label="On which days", value=next(iter(_DAYS))).props("outlined dense")
            at = ui.input("At", value="06:30").props('outlined dense type="time"')
            zone = ui.input("Time zone", value="UTC").props('outlined dense maxlength="100"')
            zone.props["hint"] = "such as Europe/Vienna"
            pauses = ui.switch("Pause the timetable when a session fails", value=True)

            async def put() -> str:
                visit.require("run", f"book/{book.book_id}")
                when = schedules.timetable(
                    cron_line(at.value or "", days.value or ""),
                    None,
                    time_zone=(zone.value or "").strip() or "UTC",
                    pause_on_failure=pauses.value is True,
                )
                runs = (await visit.ask_engine(schedules.put, book, when, "")).next_runs
                first = f": next {told(runs[0], visit.services.now())}" if runs else ""
                return f"the book is on its timetable{first}"

            with box(classes="row-of"):
                action(made, "Set the timetable", put, icon="schedule")
                link("All timetables", addresses.page("schedules"))


def cron_line(at: str, days: str) -> str:
    """A line of five fields from a time such as ``06:30`` and the last three fields.

    Raises:
        UsageMistake: ``bad-time``.
    """
    found = _TIME.fullmatch(at.strip())
    if found is None or days not in _DAYS:
        raise UsageMistake(
            "bad-time", f"{at!r} is no time of day", hint="give hour and minute, such as 06:30"
        )
    return f"{int(found[2])} {int(found[1])} {days}"
