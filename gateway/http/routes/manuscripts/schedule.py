"""The timetable of a manuscript."""

from fastapi import APIRouter
from pydantic import Field

from gateway.desk.manuscript import permitted, scheduling
from gateway.desk.manuscript.runs import Wanted
from gateway.http.asking import Asking, FromServices
from gateway.http.keys import Operation
from gateway.http.routes.manuscripts.runs import LONGEST
from gateway.http.shown_schedules import Schedule, TimetableOrder, shown_schedule
from gateway.http.strict import StrictRoute
from gateway.http.waiting import finished
from penwright.errors import NotFound

router = APIRouter(
    prefix="/manuscripts/{novel_id}/{document}/schedule", tags=["schedules"], route_class=StrictRoute
)


class DocumentTimetable(TimetableOrder):
    """When a document is written, and what each run is to do."""

    instructions: str | None = Field(default=None, max_length=LONGEST)
    """Null: as the settings have them now."""


@router.get("")
def show_document_schedule(
    novel_id: str, document: str, principal: Asking, services: FromServices
) -> Schedule:
    """The timetable; 404 without one."""
    found = permitted.document(services, principal, "read", novel_id, document)
    stands = finished(scheduling.of(services, found))
    if stands is None:
        raise NotFound("not-scheduled", f"{found.name!r} has no schedule")
    return shown_schedule(stands)


@router.put("")
def put_document_schedule(
    novel_id: str, document: str, given: DocumentTimetable, principal: Asking, services: FromServices
) -> Schedule:
    """Make or replace the timetable; its runs have the document's settings as they are now."""
    found = permitted.document(services, principal, "run", novel_id, document)
    wanted = Wanted(instructions=given.instructions, who=principal.name)
    return shown_schedule(finished(scheduling.put(services, found, given.timetable(), wanted)))


@router.delete("", status_code=204)
def delete_document_schedule(novel_id: str, document: str, principal: Asking, services: FromServices) -> None:
    """Delete the timetable; 409 without one."""
    found = permitted.document(services, principal, "run", novel_id, document)
    finished(scheduling.remove(services, found))


@router.post("/pause")
def pause_document_schedule(
    novel_id: str, document: str, operation: Operation, principal: Asking, services: FromServices
) -> Schedule:
    """Stop the timetable without forgetting it."""
    found = permitted.document(services, principal, "run", novel_id, document)
    return shown_schedule(finished(scheduling.pause(services, found, paused=True)))


@router.post("/resume")
def resume_document_schedule(
    novel_id: str, document: str, operation: Operation, principal: Asking, services: FromServices
) -> Schedule:
    """Start a paused timetable again."""
    found = permitted.document(services, principal, "run", novel_id, document)
    return shown_schedule(finished(scheduling.pause(services, found, paused=False)))
