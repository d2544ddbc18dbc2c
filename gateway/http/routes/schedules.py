"""All timetables in one list."""

from fastapi import APIRouter
from pydantic import BaseModel

from gateway.desk.operator import schedules
from gateway.http.asking import Asking, FromServices
from gateway.http.cursors import OnePage
from gateway.http.shown_schedules import Schedule, shown_schedule
from gateway.http.strict import StrictRoute
from gateway.http.waiting import finished

router = APIRouter(prefix="/schedules", tags=["schedules"], route_class=StrictRoute)


class ScheduledBook(BaseModel):
    """A timetable, and the book that it writes."""

    book_id: str
    title: str
    schedule: Schedule


class ScheduledBooks(BaseModel):
    """Timetables, by book."""

    items: list[ScheduledBook]
    next: str | None


@router.get("")
def list_schedules(principal: Asking, services: FromServices, page: OnePage) -> ScheduledBooks:
    """The timetables of books, with their next and latest runs."""
    found = sorted(finished(schedules.listed(services, principal)), key=lambda each: each.book_id)
    items, following = page.cut_sorted(found, lambda each: each.book_id)
    listed = [
        ScheduledBook(book_id=each.book_id, title=each.title, schedule=shown_schedule(each.scheduled))
        for each in items
    ]
    return ScheduledBooks(items=listed, next=following)
