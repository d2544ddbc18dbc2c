"""The timetables of all books in one list."""

from dataclasses import dataclass

from gateway.desk.engine.pipelines import Scheduled
from gateway.desk.principals import Principal, require, sees
from gateway.desk.services import Services
from gateway.desk.works import schedules


@dataclass(frozen=True, slots=True)
class ScheduledBook:
    """A timetable, and the book that it writes."""

    book_id: str
    title: str
    """Empty if the book is registered no more."""
    scheduled: Scheduled


async def listed(services: Services, principal: Principal) -> tuple[ScheduledBook, ...]:
    """Every timetable of the caller's books: what runs next comes first, then what is paused.

    Raises:
        EngineUnavailable, StoreUnavailable: nothing runs here.
    """
    require(principal, "read")
    found = await schedules.every(services)
    with services.open_store() as store:
        titles: dict[str, str] = {row.book_id: row.title for row in store.records.books()}
    books = (ScheduledBook(each.subject, titles.get(each.subject, ""), each) for each in found)
    return tuple(sorted((each for each in books if sees(principal, f"book/{each.book_id}")), key=_next))


def _next(each: ScheduledBook) -> tuple[bool, float, str]:
    coming = each.scheduled.next_runs
    return (not coming, coming[0].timestamp() if coming else 0.0, each.book_id)
