"""The timetable of a book."""

from fastapi import APIRouter
from pydantic import Field

from gateway.desk.book import schedules
from gateway.desk.works import books, permitted
from gateway.http.asking import Asking, FromServices
from gateway.http.keys import Operation
from gateway.http.shown_schedules import Schedule, TimetableOrder, shown_schedule
from gateway.http.strict import StrictRoute
from gateway.http.waiting import finished
from penwright.errors import NotFound

router = APIRouter(prefix="/books/{book_id}/schedule", tags=["schedules"], route_class=StrictRoute)


class BookTimetable(TimetableOrder):
    """When a book is written, and by which intent."""

    intent: str = Field(default="", max_length=200)


@router.get("")
def show_schedule(book_id: str, principal: Asking, services: FromServices) -> Schedule:
    """The timetable; 404 without one."""
    book = permitted.book(services, principal, "read", book_id, laid_out=False)
    found = finished(schedules.of(services, book.book_id))
    if found is None:
        raise NotFound("not-scheduled", f"{book_id!r} has no schedule")
    return shown_schedule(found)


@router.put("")
def put_schedule(book_id: str, given: BookTimetable, principal: Asking, services: FromServices) -> Schedule:
    """Make or replace the timetable."""
    book = permitted.book(services, principal, "run", book_id)
    when = given.timetable()
    books.enter(services, book)
    return shown_schedule(finished(schedules.put(services, book, when, given.intent)))


@router.delete("", status_code=204)
def delete_schedule(book_id: str, principal: Asking, services: FromServices) -> None:
    """Delete the timetable; 409 without one."""
    book = permitted.book(services, principal, "run", book_id, laid_out=False)
    finished(schedules.remove(services, book.book_id))


@router.post("/pause")
def pause_schedule(book_id: str, operation: Operation, principal: Asking, services: FromServices) -> Schedule:
    """Stop the timetable without forgetting it."""
    book = permitted.book(services, principal, "run", book_id, laid_out=False)
    return shown_schedule(finished(schedules.pause(services, book.book_id, paused=True)))


@router.post("/resume")
def resume_schedule(
    book_id: str, operation: Operation, principal: Asking, services: FromServices
) -> Schedule:
    """Start a paused timetable again."""
    book = permitted.book(services, principal, "run", book_id, laid_out=False)
    return shown_schedule(finished(schedules.pause(services, book.book_id, paused=False)))
