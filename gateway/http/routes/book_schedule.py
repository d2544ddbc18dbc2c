"""The timetable of a book."""

from fastapi import APIRouter
from pydantic import BaseModel, Field

from gateway.desk.book import books, permitted, schedules
from gateway.http.asking import Asking, FromServices
from gateway.http.keys import Operation
from gateway.http.shown_schedules import Schedule, shown_schedule
from gateway.http.strict import StrictRoute
from gateway.http.waiting import finished
from penwright.errors import NotFound

router = APIRouter(prefix="/books/{book_id}/schedule", tags=["schedules"], route_class=StrictRoute)


class TimetableOrder(BaseModel):
    """When a book is written: one of ``cron`` and ``every``."""

    cron: str | None = Field(default=None, max_length=200)
    """Five fields, such as ``30 6 * * 1-5``."""
    every: str | None = Field(default=None, max_length=20)
    """An interval: ``90m``, ``6h``, ``1d``."""
    time_zone: str = Field(default="UTC", max_length=100)
    pause_on_failure: bool = False
    pause_after: int = Field(default=3, ge=1, le=100)
    jitter: str = Field(default="0s", max_length=20)
    window: str = Field(default=schedules.WINDOW, max_length=20)
    """The book starts by a delay of its own within this time, the same each time; ``0``: sharp."""
    catch_up: str = Field(default="1h", max_length=20)
    intent: str = Field(default="", max_length=200)


@router.get("")
def show_schedule(book_id: str, principal: Asking, services: FromServices) -> Schedule:
    """The timetable; 404 without one."""
    book = permitted.book(services, principal, "read", book_id, laid_out=False)
    found = [one for one in finished(schedules.every(services)) if one.subject == book.book_id]
    if not found:
        raise NotFound("not-scheduled", f"{book_id!r} has no schedule")
    return shown_schedule(found[0])


@router.put("")
def put_schedule(book_id: str, given: TimetableOrder, principal: Asking, services: FromServices) -> Schedule:
    """Make or replace the timetable."""
    book = permitted.book(services, principal, "run", book_id)
    when = schedules.timetable(
        given.cron,
        given.every,
        time_zone=given.time_zone,
        pause_on_failure=given.pause_on_failure,
        pause_after=given.pause_after,
        jitter=given.jitter,
        window=given.window,
        catch_up=given.catch_up,
    )
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
