"""Timetables of books: set, paused, deleted, listed."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path

from gateway.desk.engine.pipelines import Scheduled, Timetable
from gateway.desk.services import Services
from gateway.desk.works import books, intents
from gateway.desk.works.books import Book
from gateway.desk.works.named import is_path
from penwright.domain.book.files.layout import COMPLETE
from penwright.domain.book.identity import checked_book_id
from penwright.domain.book.refusal_steps import REOPENING
from penwright.domain.cron import read
from penwright.domain.spreading import room
from penwright.domain.text.nearest import meant
from penwright.errors import PenwrightError, Refused, UsageMistake
from penwright.time_zones import time_zones
from schemas.base import BookId

WINDOW = "30m"
"""Time over which schedules are spread unless another is asked for."""
_CRON = (
    "give minute, hour, day, month and weekday (Sunday is 0), for instance '30 6 * * 1-5',"
    " or '0 0 * * *' for @daily"
)
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_LEAST_INTERVAL = timedelta(minutes=1)
_LONGEST_CATCH_UP = timedelta(hours=1)
_LONGEST = timedelta(days=366)
"""Of every length of time; Temporal names no next run of some that are longer."""


def timetable(
    cron: str | None,
    every: str | None,
    *,
    time_zone: str = "UTC",
    pause_on_failure: bool = False,
    pause_after: int = 3,
    jitter: str = "0s",
    window: str = WINDOW,
    catch_up: str = "1h",
) -> Timetable:
    """A timetable from texts such as ``30 6 * * *`` and ``6h``.

    Raises:
        UsageMistake: ``bad-schedule``, ``bad-interval``, ``bad-cron``, ``never-runs``, ``bad-time-zone``,
            ``zone-without-cron``, ``delay-too-long`` or ``catch-up-too-long``; messages call the texts by the
            names of the command's options.
    """
    if (cron is None) == (every is None):
        raise UsageMistake(
            "bad-schedule",
            "give either --cron or --every",
            hint="for instance `--every 6h` or `--cron '30 6 * * *'`",
        )
    interval = None if every is None else duration("--every", every)
    if interval is not None and interval < _LEAST_INTERVAL:
        raise UsageMistake(
            "bad-interval", f"--every {every!r} is shorter than a minute", hint="give at least 1m"
        )
    zone = _zone(time_zone)
    if cron is not None:
        _check_cron(cron)
    elif zone != "UTC":
        raise UsageMistake(
            "zone-without-cron",
            f"--every {every!r} repeats after a length of time, in no time zone; nothing was scheduled",
            hint=f"leave out --time-zone, or give a time there: `--cron '0 3 * * *' --time-zone {zone}`",
        )
    missed = duration("--catch-up", catch_up)
    if missed > _LONGEST_CATCH_UP:
        raise UsageMistake(
            "catch-up-too-long", f"--catch-up {catch_up!r} is too long", hint="give at most `--catch-up 1h`"
        )
    between = interval or room(cron or "")
    if window != WINDOW:
        _check_delay("--window", window, between)
    _check_delay("--jitter", jitter, between)
    return Timetable(
        cron=cron,
        every=interval,
        time_zone=zone,
        pause_on_failure=pause_on_failure,
        pause_after=pause_after,
        jitter=duration("--jitter", jitter),
        window=duration("--window", window),
        catch_up=missed,
    )


def _check_delay(option: str, text: str, between: timedelta) -> None:
    """Refuse a delay that would take a run beyond the next one."""
    if duration(option, text) > between:
        minutes = int(between.total_seconds()) // 60
        raise UsageMistake(
            "delay-too-long",
            f"{option} {text!r} is longer than the time between two runs ({minutes} minutes)",
            hint=f"give at most `{option} {minutes}m`; the time of day is that of --cron",
        )


def duration(option: str, text: str) -> timedelta:
    """The time that ``90m`` and the like mean; ``UsageMistake`` names the option."""
    if text.strip() == "0":
        return timedelta(0)
    found = re.fullmatch(r"([0-9]{1,6})([smhdw])", text.strip().lower())
    if found is None:
        raise UsageMistake(
            "bad-interval",
            f"{option} {text!r} is not a length of time",
            hint="a number and s, m, h, d or w, for instance 90m or 6h",
        )
    length = timedelta(**{_UNITS[found[2]]: int(found[1])})
    if length > _LONGEST:
        raise UsageMistake(
            "bad-interval", f"{option} {text!r} is longer than a year", hint="give at most 366d"
        )
    return length


async def put(
    services: Services, book: Book, when: Timetable, intent: str, *, paused: bool | None = None
) -> Scheduled:
    """Make or replace the book's schedule.

    Raises:
        Refused: ``sealed``: the book is complete; ``intent-unknown``.

    ``paused``: whether it begins paused; None: as it stands.
    """
    await asyncio.to_thread(_refuse_sealed, book)
    if intent:
        intents.intent_of(await asyncio.to_thread(intents.read, services, book), intent)
    async with services.engine() as engine:
        given = books.session_input(services, book, outside=False, intent=intent)
        return await engine.schedules.put(given, when, paused=paused)


def book_id_of(services: Services, named: str) -> BookId:
    """The id of the book called ``named``; of a registered id or path, even if no book is there any more.

    Raises:
        PenwrightError: it is a path of no book, and was none when it was registered.
    """
    if not is_path(named):
        return _registered_as(services, named) or checked_book_id(named)
    try:
        return books.find(services, named, laid_out=False).book_id
    except PenwrightError:
        registered = _registered_as(services, named)
        if registered is None:
            raise
        return registered


async def of(services: Services, book_id: BookId) -> Scheduled | None:
    """The book's schedule; None if it has none."""
    async with services.engine() as engine:
        return await engine.schedules.find(book_id)


async def pause(services: Services, book_id: BookId, *, paused: bool) -> Scheduled:
    """Stop or restart the book's schedule; ``Refused`` ``not-scheduled`` if it has none."""
    async with services.engine() as engine, _with_a_way_on(services, book_id):
        return await engine.schedules.pause(book_id, paused=paused, note="by hand")


async def remove(services: Services, book_id: BookId) -> None:
    """Delete the book's schedule; ``Refused`` ``not-scheduled`` if it has none."""
    async with services.engine() as engine, _with_a_way_on(services, book_id):
        await engine.schedules.remove(book_id)


async def every(services: Services) -> tuple[Scheduled, ...]:
    """Every schedule of a book, by book id."""
    async with services.engine() as engine:
        return await engine.schedules.all()


@asynccontextmanager
async def _with_a_way_on(services: Services, book_id: BookId) -> AsyncIterator[None]:
    """Advice on a book without a schedule, added to the refusal."""
    try:
        yield
    except Refused as refusal:
        if refusal.code != "not-scheduled":
            raise
        hint = await asyncio.to_thread(_makes_one, services, book_id)
        raise Refused(refusal.code, refusal.message, hint=hint) from refusal


def _makes_one(services: Services, book_id: BookId) -> str:
    with services.open_store() as store:
        folders = [row.path for row in store.records.books() if row.book_id == book_id]
    if any(Path(folder, COMPLETE).exists() for folder in folders):
        return f"the book is complete and needs none; {REOPENING}"
    named = book_id if folders else "BOOK"
    return f"make one with `penwright book schedule {named} --every 24h`"


def _registered_as(services: Services, named: str) -> BookId | None:
    """The registered book with this id, or in this folder."""
    place = Path(named).expanduser().resolve()
    with services.open_store() as store:
        rows = store.records.books()
    by_id = (row.book_id for row in rows if row.book_id == named)
    by_folder = (row.book_id for row in rows if Path(row.path).resolve() == place)
    return next(by_id, None) or next(by_folder, None)


def _refuse_sealed(book: Book) -> None:
    if Path(book.workspace.path, COMPLETE).exists():
        raise Refused(
            "sealed",
            f"the book {book.book_id!r} is complete; nothing was scheduled",
            hint=f"{REOPENING}; then run the command again",
        )


def _check_cron(cron: str) -> None:
    try:
        line = read(cron)
    except ValueError as error:
        raise UsageMistake("bad-cron", f"--cron {cron!r} cannot be read: {error}", hint=_CRON) from error
    if line.never_runs:
        raise UsageMistake(
            "never-runs",
            f"--cron {cron!r} never runs: no month that it names has such a day",
            hint="change the third field (day of the month) or the fourth (month), for instance '30 6 1 * *'",
        )


def _zone(name: str) -> str:
    known = time_zones()
    if name not in known:
        raise UsageMistake(
            "bad-time-zone",
            f"the time zone {name!r} is unknown{meant(name, known)}",
            hint="use a name such as Europe/Vienna, America/New_York or UTC",
        )
    return name
