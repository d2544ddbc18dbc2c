"""Timetables of manuscripts: set, paused, deleted, listed."""

from gateway.desk.manuscript.runs import Document, Wanted, order_of
from gateway.desk.pipelines import Scheduled, Timetable
from gateway.desk.services import Services


async def put(services: Services, found: Document, when: Timetable, wanted: Wanted) -> Scheduled:
    """Make or replace the document's schedule; its runs have the settings as they are now."""
    given = order_of(services, found, wanted)
    async with services.manuscripts() as engine:
        return await engine.schedules.put(given, when)


async def of(services: Services, found: Document) -> Scheduled | None:
    """The document's schedule; None if it has none."""
    async with services.manuscripts() as engine:
        return await engine.schedules.find(found.name)


async def pause(services: Services, found: Document, *, paused: bool) -> Scheduled:
    """Stop or restart the document's schedule; ``Refused`` if it has none."""
    async with services.manuscripts() as engine:
        return await engine.schedules.pause(found.name, paused=paused, note="by hand")


async def remove(services: Services, found: Document) -> None:
    """Delete the document's schedule; ``Refused`` if it has none."""
    async with services.manuscripts() as engine:
        await engine.schedules.remove(found.name)


async def every(services: Services) -> tuple[Scheduled, ...]:
    """Every schedule of a manuscript, by novel and scene."""
    async with services.manuscripts() as engine:
        return await engine.schedules.all()
