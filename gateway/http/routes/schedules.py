"""Timetables: of one book, and all in one list."""

from datetime import datetime

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field

from gateway.desk.engine.pipelines import Scheduled, ScheduledRun, Timetable
from gateway.desk.operator import schedules as every_schedule
from gateway.desk.works import books, permitted, schedules
from gateway.http.asking import Asking, FromServices
from gateway.http.cursors import OnePage
from gateway.http.keys import Operation
from gateway.http.orders import Order
from gateway.http.strict import StrictRoute
from gateway.http.waiting import finished
from penwright.errors import NotFound

of_book = APIRouter(prefix="/books/{book_id}/schedule", tags=["schedules"], route_class=StrictRoute)
router = APIRouter(prefix="/schedules", tags=["schedules"], route_class=StrictRoute)


class BookTimetable(Order):
    """When a book is written, and by which intent."""

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
    intent: str = Field(default="", max_length=200)

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


class ScheduledBook(BaseModel):
    """A timetable, and the book that it writes."""

    book_id: str
    title: str
    schedule: Schedule


class ScheduledBooks(BaseModel):
    """Timetables, by book."""

    items: list[ScheduledBook]
    next: str | None


@of_book.get("")
def show_schedule(book_id: str, principal: Asking, services: FromServices) -> Schedule:
    """The timetable; 404 without one."""
    book = permitted.book(services, principal, "read", book_id, laid_out=False)
    found = finished(schedules.of(services, book.book_id))
    if found is None:
        raise NotFound("not-scheduled", f"{book_id!r} has no schedule")
    return _shown(found)


@of_book.put("")
def put_schedule(book_id: str, given: BookTimetable, principal: Asking, services: FromServices) -> Schedule:
    """Make or replace the timetable."""
    book = permitted.book(services, principal, "run", book_id)
    when = given.timetable()
    books.enter(services, book)
    return _shown(finished(schedules.put(services, book, when, given.intent)))


@of_book.delete("", status_code=204)
def delete_schedule(book_id: str, principal: Asking, services: FromServices) -> None:
    """Delete the timetable; 409 without one."""
    book = permitted.book(services, principal, "run", book_id, laid_out=False)
    finished(schedules.remove(services, book.book_id))


@of_book.post("/pause")
def pause_schedule(book_id: str, operation: Operation, principal: Asking, services: FromServices) -> Schedule:
    """Stop the timetable without forgetting it."""
    book = permitted.book(services, principal, "run", book_id, laid_out=False)
    return _shown(finished(schedules.pause(services, book.book_id, paused=True)))


@of_book.post("/resume")
def resume_schedule(
    book_id: str, operation: Operation, principal: Asking, services: FromServices
) -> Schedule:
    """Start a paused timetable again."""
    book = permitted.book(services, principal, "run", book_id, laid_out=False)
    return _shown(finished(schedules.pause(services, book.book_id, paused=False)))


@router.get("")
def list_schedules(principal: Asking, services: FromServices, page: OnePage) -> ScheduledBooks:
    """The timetables of books, with their next and latest runs."""
    found = sorted(finished(every_schedule.listed(services, principal)), key=lambda each: each.book_id)
    items, following = page.cut_sorted(found, lambda each: each.book_id)
    shown = [
        ScheduledBook(book_id=each.book_id, title=each.title, schedule=_shown(each.scheduled))
        for each in items
    ]
    return ScheduledBooks(items=shown, next=following)


def _shown(one: Scheduled) -> Schedule:
    """The timetable."""
    return Schedule.model_validate(one)
