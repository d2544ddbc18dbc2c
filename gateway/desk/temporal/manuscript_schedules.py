"""Runs of manuscripts on a timetable, named ``manuscript/<novel>/<scene>``."""

from typing import Final

from gateway.desk.temporal.schedules import ScheduleKind
from schemas.manuscript import ManuscriptInput, ManuscriptResult
from workflows.manuscript_schedule import PIPELINE, ScheduledManuscript

MANUSCRIPTS: Final = ScheduleKind(
    noun="manuscript",
    pipeline=PIPELINE,
    run=ScheduledManuscript.run,
    given=ManuscriptInput,
    result=ManuscriptResult,
    subject=lambda given: given.document,
    prepared=lambda given, name, timetable: given,
)
