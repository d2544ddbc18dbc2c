"""Something written at set times: the timetable as it stands, and a form that makes or replaces it."""

from collections.abc import Awaitable, Callable
from functools import partial

from nicegui import ui

from gateway.desk.engine.pipelines import Scheduled, Timetable
from gateway.desk.works import schedules
from gateway.ui import addresses
from gateway.ui.elements.html import box, link, text
from gateway.ui.elements.rhythm import DAILY, WEEKDAYS, RunTimes, cron_line, rhythm_in_words
from gateway.ui.frame import Frame
from gateway.ui.parts.acting import action
from gateway.ui.parts.plots.figures import facts
from gateway.ui.visit import Visit
from penwright.errors import PenwrightError

_WEEKLY, _CRON = "weekly", "cron"
_RHYTHMS = {**DAILY, _WEEKLY: "once a week", _CRON: "by a cron line"}
_NEXT = 3


class TimetableForm:
    """A folded form; what stands is read when it is unfolded."""

    def __init__(
        self,
        visit: Visit,
        made: Frame,
        find: Callable[[], Awaitable[Scheduled | None]],
        put: Callable[[Timetable], Awaitable[Scheduled]],
    ) -> None:
        """``put``: checks the rights of the visitor, and sets the timetable."""
        self._visit, self._frame, self._find, self._put = visit, made, find, put
        with box("details", classes="others") as folded:
            text("summary", "Write on a timetable")
            self._stands = box()
            with box(classes="asked"):
                self._fields()
                with box(classes="row-of"):
                    action(made, "Set the timetable", self._set, icon="schedule")
                    link("All timetables", addresses.page("schedules"))
        folded.on("toggle", self._unfolded)
        self._read = False

    def _fields(self) -> None:
        self._rhythm = ui.select(_RHYTHMS, label="How often", value=next(iter(_RHYTHMS)))
        self._day = ui.select(WEEKDAYS, label="On which day", value=next(iter(WEEKDAYS)))
        self._at = ui.input("At", value="03:00").props('type="time"')
        self._line = ui.input("Cron line", value="0 3 * * *").props('maxlength="200"')
        self._line.props["hint"] = "minute, hour, day, month, weekday"
        self._zone = ui.input("Time zone", value="UTC").props('maxlength="100"')
        self._zone.props["hint"] = "such as Europe/Vienna"
        for field in (self._rhythm, self._day, self._at, self._line, self._zone):
            field.props("outlined dense")
        self._pauses = ui.switch("Pause the timetable when a run fails", value=True)
        self._rhythm.on_value_change(self._fit)
        self._fit()

    def _fit(self) -> None:
        """Show the fields that the rhythm asks for."""
        self._day.set_visibility(self._rhythm.value == _WEEKLY)
        self._at.set_visibility(self._rhythm.value != _CRON)
        self._line.set_visibility(self._rhythm.value == _CRON)

    def _cron(self) -> str:
        if self._rhythm.value == _CRON:
            return (self._line.value or "").strip()
        days = self._day.value if self._rhythm.value == _WEEKLY else self._rhythm.value
        return cron_line(self._at.value or "", days or "")

    async def _set(self) -> str:
        when = schedules.timetable(
            self._cron(),
            None,
            time_zone=(self._zone.value or "").strip() or "UTC",
            pause_on_failure=self._pauses.value is True,
        )
        stands = await self._put(when)
        self._show(stands)
        return "the timetable is set"

    async def _unfolded(self) -> None:
        if self._read:
            return
        self._read = True
        try:
            self._show(await self._find())
        except PenwrightError as error:
            self._frame.say(error.message)

    def _show(self, stands: Scheduled | None) -> None:
        self._stands.clear()
        if stands is None:
            return
        coming = stands.next_runs[:_NEXT]
        with self._stands:
            facts(
                {
                    "Now": f"{rhythm_in_words(stands.rhythm)} ({stands.time_zone})",
                    "Next three runs": partial(RunTimes, coming, stands.time_zone) if coming else "",
                    "Paused": (stands.note or "yes") if stands.paused else "",
                }
            )
