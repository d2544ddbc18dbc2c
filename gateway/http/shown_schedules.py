"""Timetables as callers order them and the API tells them."""

from datetime import datetime

from pydantic import BaseModel, ConfigDict, Field

from gateway.desk.book import schedules
from gateway.desk.engine.pipelines import Scheduled, ScheduledRun, Timetable
from gateway.http.orders import Order


class TimetableOrder(Order):
    """When something is written: one of ``cron`` and ``every``."""

    cron: str | None = Field(default=None, max_length=200)
    """Five fields, such as ``30 6 * * 1-5``."""
    every: str | None = Field(default=None, max_length=20)
    """An interval: ``90m``, ``6h``, ``1d``."""
    time_zone: str = Field(default="UTC", max_length=100)
    """Of ``cron``; refused with ``every``."""
    pause_on_failure: bool = False
    pause_after: int = Field(default=3, ge=1, le=100)
    jitter: str = Field(default="0s", max_length=20)
    window: str = Field(default=schedules.WINDOW, max_length=20)
    """It starts by a delay of its own within this time, the same each time; ``0``: sharp."""
    catch_up: str = Field(default="1h", max_length=20)

    def timetable(self) -> Timetable:
        """Checked; raises as ``schedules.timetable``."""
        return schedules.timetable(
            self.cron,
            self.every,
            time_zone=self.time_zone,
            pause_on_failure=self.pause_on_failure,
            pause_after=self.pause_after,
            jitter=self.jitter,
            window=self.window,
            catch_up=self.catch_up,
        )


class Schedule(BaseModel):
    """A timetable, and its latest runs."""

    model_config = ConfigDict(from_attributes=True)

    rhythm: str
    time_zone: str
    paused: bool
    note: str
    next_runs: list[datetime]
    last_result: str
    last_run: datetime | None
    runs: list[ScheduledRun]
    pause_on_failure: bool
    skipped: int
    """Runs that did not begin, since another was going on."""
    missed: int
    """Runs that did not begin, since the engine was down for too long."""


def shown_schedule(one: Scheduled) -> Schedule:
    """The timetable."""
    return Schedule.model_validate(one)
