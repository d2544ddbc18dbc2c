"""The timetables of all books and manuscripts in one list."""

from collections.abc import Iterable
from dataclasses import dataclass

from gateway.desk.pipelines import Scheduled
from gateway.desk.principals import Principal, require, sees
from gateway.desk.services import Services
from schemas.records import WorkspaceKind


@dataclass(frozen=True, slots=True)
class ScheduledWork:
    """A timetable, and the book or document that it writes."""

    kind: WorkspaceKind
    work: str
    """Id of the book or novel."""
    scene: str
    """Of a novel the document, ``-`` for the whole manuscript; empty for a book."""
    title: str
    """Empty if the work is registered no more."""
    scheduled: Scheduled


async def listed(services: Services, principal: Principal) -> tuple[ScheduledWork, ...]:
    """Every timetable of the caller's works: what runs next comes first, then what is paused.

    Raises:
        EngineUnavailable, StoreUnavailable: nothing runs here.
    """
    require(principal, "read")
    async with services.engine() as books, services.manuscripts() as manuscripts:
        found = [
            *_works("book", _titles(services, "book"), await books.schedules.all()),
            *_works("novel", _titles(services, "novel"), await manuscripts.schedules.all()),
        ]
    mine = (each for each in found if sees(principal, f"{each.kind}/{each.work}"))
    return tuple(sorted(mine, key=_next))


def _next(each: ScheduledWork) -> tuple[bool, float, str]:
    coming = each.scheduled.next_runs
    return (not coming, coming[0].timestamp() if coming else 0.0, each.scheduled.subject)


def _titles(services: Services, kind: WorkspaceKind) -> dict[str, str]:
    with services.open_store() as store:
        return {row.book_id: row.title for row in store.records.books(kind)}


def _works(
    kind: WorkspaceKind, titles: dict[str, str], found: Iterable[Scheduled]
) -> Iterable[ScheduledWork]:
    for each in found:
        work, _, scene = each.subject.partition("/")
        yield ScheduledWork(kind, work, scene, titles.get(work, ""), each)
