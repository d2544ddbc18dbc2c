"""Verbs for writing on a timetable: schedule, unschedule, schedules."""

import asyncio
import re
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Annotated

import typer

from gateway.cli.arguments import BookArgument, IntentOption
from gateway.cli.output import JsonFlag, Printer
from gateway.desk.services import services_of

if TYPE_CHECKING:
    from gateway.desk.pipelines import Scheduled, Timetable
    from gateway.desk.services import Engine

_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


def schedule(
    ctx: typer.Context,
    book: BookArgument = ".",
    cron: Annotated[
        str | None, typer.Option("--cron", help="Five fields, for instance '30 6 * * 1-5'.")
    ] = None,
    every: Annotated[str | None, typer.Option("--every", help="An interval: 90m, 6h, 1d.")] = None,
    time_zone: Annotated[
        str, typer.Option("--time-zone", help="Of the cron line, for instance Europe/Vienna.")
    ] = "UTC",
    pause_on_failure: Annotated[
        bool, typer.Option("--pause-on-failure", help="Stop the schedule when a session fails.")
    ] = False,
    jitter: Annotated[
        str, typer.Option("--jitter", help="Start up to this much later, so that many books spread out.")
    ] = "0s",
    catch_up: Annotated[
        str, typer.Option("--catch-up", help="Make up for runs missed while the engine was down; at most 1h.")
    ] = "1h",
    intent: IntentOption = "",
    pause: Annotated[
        bool | None, typer.Option("--pause/--resume", help="Stop or restart the schedule there is.")
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Have the book written on a timetable.

    A run is skipped while another is going on.

    \b
      penwright book schedule ~/books/tide --every 6h
      penwright book schedule ~/books/tide --cron "30 6 * * *" --time-zone Europe/Vienna --pause-on-failure
      penwright book schedule ~/books/tide --resume

    A second call replaces the timetable. A finished book deletes its schedule by itself.
    """
    from gateway.desk import books

    services = services_of(ctx)
    timetable = (
        None
        if pause is not None and not (cron or every)
        else _timetable(cron, every, time_zone, pause_on_failure, jitter, catch_up)
    )
    found = books.find(services, book)

    async def ask(engine: "Engine") -> "Scheduled":
        if timetable is None:
            return await engine.schedules.pause(found.book_id, paused=bool(pause), note="by hand")
        return await engine.schedules.put(
            books.session_input(services, found, outside=False, intent=intent), timetable
        )

    async def connected() -> "Scheduled":
        async with services.engine() as engine:
            return await ask(engine)

    with services.open_store() as store:
        books.register(store, services, found, services.now())
    made = asyncio.run(connected())
    Printer(json).result({"status": "scheduled", **as_json(made)}, _lines(made, services.now()))


def unschedule(ctx: typer.Context, book: BookArgument = ".", json: JsonFlag = False) -> None:
    """Delete the book's schedule.

    \b
      penwright book unschedule ~/books/tide
    """
    from gateway.desk import books

    services = services_of(ctx)
    found = books.find(services, book)

    async def ask() -> None:
        async with services.engine() as engine:
            await engine.schedules.remove(found.book_id)

    asyncio.run(ask())
    Printer(json).result(
        {"status": "unscheduled", "book_id": found.book_id}, f"{found.book_id} has no schedule any more."
    )


def schedules(ctx: typer.Context, json: JsonFlag = False) -> None:
    """List schedules, next runs and last results.

    \b
      penwright book schedules --json
    """
    services = services_of(ctx)

    async def ask() -> "tuple[Scheduled, ...]":
        async with services.engine() as engine:
            return await engine.schedules.all()

    found = asyncio.run(ask())
    lines = [line for one in found for line in _lines(one, services.now())]
    Printer(json).result(
        {"schedules": [as_json(one) for one in found]},
        lines or ["No book has a schedule; `penwright book schedule --every 6h` makes one."],
    )


def as_json(one: "Scheduled") -> dict[str, object]:
    """A schedule with times as text."""
    return {
        "book_id": one.book_id,
        "rhythm": one.rhythm,
        "time_zone": one.time_zone,
        "paused": one.paused,
        "note": one.note,
        "next_runs": [at.isoformat() for at in one.next_runs],
        "last_run": one.last_run.isoformat() if one.last_run else None,
        "last_result": one.last_result,
    }


def _timetable(
    cron: str | None, every: str | None, time_zone: str, pause_on_failure: bool, jitter: str, catch_up: str
) -> "Timetable":
    from gateway.desk.pipelines import Timetable
    from penwright.errors import UsageMistake

    if (cron is None) == (every is None):
        raise UsageMistake(
            "bad-schedule",
            "give either --cron or --every",
            hint="for instance `--every 6h` or `--cron '30 6 * * *'`",
        )
    interval = duration("--every", every) if every else None
    if interval is not None and interval < timedelta(minutes=1):
        raise UsageMistake("bad-interval", f"--every {every!r} is shorter than a minute; give at least 1m")
    if cron is not None and len(cron.split()) != 5:
        raise UsageMistake(
            "bad-cron",
            f"--cron {cron!r} has {len(cron.split())} fields; five are needed",
            hint="minute hour day month weekday, for instance '30 6 * * 1-5'",
        )
    missed = duration("--catch-up", catch_up)
    if missed > timedelta(hours=1):
        raise UsageMistake("catch-up-too-long", f"--catch-up {catch_up!r} is too long; give at most 1h")
    return Timetable(cron, interval, _zone(time_zone), pause_on_failure, duration("--jitter", jitter), missed)


def duration(option: str, text: str) -> timedelta:
    """``90m`` and the like; ``UsageMistake`` names the option."""
    from penwright.errors import UsageMistake

    found = re.fullmatch(r"(\d{1,6})([smhdw])", text.strip().lower())
    if found is None:
        raise UsageMistake(
            "bad-interval",
            f"{option} {text!r} is not a length of time",
            hint="a number and s, m, h, d or w, for instance 90m or 6h",
        )
    return timedelta(**{_UNITS[found[2]]: int(found[1])})


def _zone(name: str) -> str:
    from zoneinfo import ZoneInfo

    from penwright.errors import UsageMistake

    try:
        return ZoneInfo(name).key
    except (KeyError, ValueError, OSError):
        raise UsageMistake(
            "bad-time-zone",
            f"--time-zone {name!r} is unknown",
            hint="use a name such as Europe/Vienna, America/New_York or UTC",
        ) from None


def _lines(one: "Scheduled", now: datetime) -> list[str]:
    head = f"{one.book_id}: {one.rhythm}, {one.time_zone}" + (", paused" if one.paused else "")
    if one.paused and one.note:
        head += f" ({one.note})"
    runs = [f"  next {at:%Y-%m-%d %H:%M} UTC" for at in one.next_runs if at >= now]
    again = [f"  `penwright book schedule {one.book_id} --resume` starts it again"] if one.paused else []
    last = [f"  last {one.last_run:%Y-%m-%d %H:%M} UTC: {one.last_result}"] if one.last_run else []
    return [head, *last, *again, *runs]
