"""Timetables as the API tells them."""

from datetime import datetime

from pydantic import BaseModel, ConfigDict

from gateway.desk.pipelines import Scheduled


class ScheduledRun(BaseModel):
    """A run that a schedule started."""

    model_config = ConfigDict(from_attributes=True)

    at: datetime
    outcome: str
    code: str


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
