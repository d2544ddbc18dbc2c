"""Verbs for writing on a timetable: schedule, unschedule, schedules."""

import asyncio
from datetime import datetime
from typing import Annotated

import typer

from gateway.cli.arguments import BookArgument, IntentOption
from gateway.cli.context import services_of
from gateway.cli.output import JsonFlag, Printer
from gateway.desk import books
from gateway.desk import schedules as desk
from gateway.desk.pipelines import Scheduled


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
    """Write the book on a timetable.

    A run is skipped while another is going on.

    \b
      penwright book schedule ~/books/tide --every 6h
      penwright book schedule ~/books/tide --cron "30 6 * * *" --time-zone Europe/Vienna --pause-on-failure
      penwright book schedule ~/books/tide --resume

    A second call replaces the timetable. A finished book deletes its schedule by itself.
    """
    services = services_of(ctx)
    timetable = (
        None
        if pause is not None and not (cron or every)
        else desk.timetable(
            cron,
            every,
            time_zone=time_zone,
            pause_on_failure=pause_on_failure,
            jitter=jitter,
            catch_up=catch_up,
        )
    )
    found = books.find(services, book)
    books.enter(services, found)
    asked = (
        desk.pause(services, found, paused=bool(pause))
        if timetable is None
        else desk.put(services, found, timetable, intent)
    )
    made = asyncio.run(asked)
    Printer(json).result({"status": "scheduled", **as_json(made)}, _lines(made, services.now()))


def unschedule(ctx: typer.Context, book: BookArgument = ".", json: JsonFlag = False) -> None:
    """Delete the book's schedule.

    \b
      penwright book unschedule ~/books/tide
    """
    services = services_of(ctx)
    found = books.find(services, book, laid_out=False)
    asyncio.run(desk.remove(services, found))
    Printer(json).result(
        {"status": "unscheduled", "book_id": found.book_id}, f"{found.book_id} has no schedule any more."
    )


def schedules(ctx: typer.Context, json: JsonFlag = False) -> None:
    """List schedules, next runs and last results.

    \b
      penwright book schedules --json
    """
    services = services_of(ctx)
    found = asyncio.run(desk.every(services))
    lines = [line for one in found for line in _lines(one, services.now())]
    Printer(json).result(
        {"schedules": [as_json(one) for one in found]},
        lines or ["No book has a schedule; `penwright book schedule --every 6h` makes one."],
    )


def as_json(one: Scheduled) -> dict[str, object]:
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


def _lines(one: Scheduled, now: datetime) -> list[str]:
    head = f"{one.book_id}: {one.rhythm}, {one.time_zone}" + (", paused" if one.paused else "")
    if one.paused and one.note:
        head += f" ({one.note})"
    runs = [f"  next {at:%Y-%m-%d %H:%M} UTC" for at in one.next_runs if at >= now]
    again = [f"  `penwright book schedule {one.book_id} --resume` starts it again"] if one.paused else []
    last = [f"  last {one.last_run:%Y-%m-%d %H:%M} UTC: {one.last_result}"] if one.last_run else []
    return [head, *last, *again, *runs]
