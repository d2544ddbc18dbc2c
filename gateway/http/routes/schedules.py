"""All timetables in one list."""

from fastapi import APIRouter
from pydantic import BaseModel

from gateway.desk.operator import schedules
from gateway.http.asking import Asking, FromServices
from gateway.http.cursors import OnePage
from gateway.http.shown_schedules import Schedule, shown_schedule
from gateway.http.strict import StrictRoute
from gateway.http.waiting import finished
from schemas.records import WorkspaceKind

router = APIRouter(prefix="/schedules", tags=["schedules"], route_class=StrictRoute)


class ScheduledWork(BaseModel):
    """A timetable, and what it writes."""

    kind: WorkspaceKind
    work: str
    """Id of the book or novel."""
    scene: str
    """Of a novel the document; empty for a book."""
    title: str
    schedule: Schedule


class ScheduledWorks(BaseModel):
    """Timetables, by what they write."""

    items: list[ScheduledWork]
    next: str | None


@router.get("")
def list_schedules(principal: Asking, services: FromServices, page: OnePage) -> ScheduledWorks:
    """The timetables of books and manuscripts, with their next and latest runs."""
    found = sorted(finished(schedules.listed(services, principal)), key=lambda each: each.scheduled.subject)
    items, following = page.cut_sorted(found, lambda each: each.scheduled.subject)
    listed = [
        ScheduledWork(
            kind=each.kind,
            work=each.work,
            scene=each.scene,
            title=each.title,
            schedule=shown_schedule(each.scheduled),
        )
        for each in items
    ]
    return ScheduledWorks(items=listed, next=following)
