"""Verbs for writing on a timetable: schedule, unschedule, schedules."""

import asyncio
from datetime import datetime
from typing import Annotated, Final
from zoneinfo import ZoneInfo

import typer

from gateway.cli.arguments import BookArgument, IntentOption
from gateway.cli.context import services_of
from gateway.cli.output import JsonFlag, Printer
from gateway.cli.times import minute
from gateway.desk.engine.pipelines import Scheduled, ScheduledRun
from gateway.desk.works import books
from gateway.desk.works import schedules as desk

RESUME: Final = "penwright book schedule"


def schedule(
    ctx: typer.Context,
    book: BookArgument = ".",
    cron: Annotated[
        str | None, typer.Option("--cron", help="Five fields, for instance '30 6 * * 1-5'.")
    ] = None,
    every: Annotated[str | None, typer.Option("--every", help="An interval: 90m, 6h, 1d.")] = None,
    time_zone: Annotated[
        str, typer.Option("--time-zone", help="Of --cron, for instance Europe/Vienna.")
    ] = "UTC",
    pause_on_failure: Annotated[
        bool,
        typer.Option("--pause-on-failure", help="Stop the schedule when a session fails."),
    ] = False,
    refusals: Annotated[
        int, typer.Option("--refusals", min=1, help="How many refusals in a row --pause-on-failure allows.")
    ] = 3,
    jitter: Annotated[
        str, typer.Option("--jitter", help="Start up to this much later, so that many books spread out.")
    ] = "0s",
    window: Annotated[
        str,
        typer.Option("--window", help="Start by a delay of the book's own within this time; 0: sharp."),
    ] = desk.WINDOW,
    catch_up: Annotated[
        str, typer.Option("--catch-up", help="Make up for runs missed while the engine was down; at most 1h.")
    ] = "1h",
    intent: IntentOption = "",
    pause: Annotated[
        bool | None, typer.Option("--pause/--resume", help="Stop or restart the schedule there is.")
    ] = None,
    listing: Annotated[bool, typer.Option("--list", help="List schedules, as `book schedules`.")] = False,
    json: JsonFlag = False,
) -> None:
    """Write the book on a timetable.

    A run is skipped while another is going on. --pause-on-failure stops the schedule when a session fails, or
    is refused several times in a row, and notifies you.

    \b
      penwright book schedule ~/books/tide --every 6h
      penwright book schedule ~/books/tide --cron "30 6 * * *" --time-zone Europe/Vienna --pause-on-failure
      penwright book schedule ~/books/tide --resume

    A second call replaces the timetable; one that is paused stays so without --resume. A finished book
    deletes its schedule by itself. With a book's id, --pause and --resume work although its folder is gone.
    """
    if listing:
        schedules(ctx, json)
        return
    services = services_of(ctx)
    if pause is not None and not (cron or every):
        made = asyncio.run(desk.pause(services, desk.book_id_of(services, book), paused=pause))
    else:
        timetable = desk.timetable(
            cron,
            every,
            time_zone=time_zone,
            pause_on_failure=pause_on_failure,
            pause_after=refusals,
            jitter=jitter,
            window=window,
            catch_up=catch_up,
        )
        found = books.find(services, book)
        books.enter(services, found)
        made = asyncio.run(desk.put(services, found, timetable, intent, paused=pause))
    Printer(json).result(
        {"status": "scheduled", **as_json(made)}, schedule_lines(made, services.now(), RESUME)
    )


def unschedule(ctx: typer.Context, book: BookArgument = ".", json: JsonFlag = False) -> None:
    """Delete the book's schedule.

    \b
      penwright book unschedule ~/books/tide
      penwright book unschedule tide

    With a book's id, this works although its folder is gone. A book without a schedule is refused.
    """
    services = services_of(ctx)
    book_id = desk.book_id_of(services, book)
    asyncio.run(desk.remove(services, book_id))
    Printer(json).result(
        {"status": "unscheduled", "book_id": book_id}, f"{book_id} has no schedule any more."
    )


def schedules(ctx: typer.Context, json: JsonFlag = False) -> None:
    """List schedules, next runs and last results.

    \b
      penwright book schedules --json
    """
    services = services_of(ctx)
    found = asyncio.run(desk.every(services))
    lines = [line for one in found for line in schedule_lines(one, services.now(), RESUME)]
    Printer(json).result(
        {"schedules": [as_json(one) for one in found]},
        lines or ["No book has a schedule; `penwright book schedule BOOK --every 6h` makes one."],
    )


def as_json(one: Scheduled) -> dict[str, object]:
    """A schedule with times as text."""
    return {
        "book_id": one.subject,
        "rhythm": one.rhythm,
        "time_zone": one.time_zone,
        "paused": one.paused,
        "note": one.note,
        "next_runs": [at.isoformat() for at in one.next_runs],
        "last_run": one.last_run.isoformat() if one.last_run else None,
        "last_result": one.last_result,
        "pause_on_failure": one.pause_on_failure,
        "last_outcomes": [
            {"at": run.at.isoformat(), "outcome": run.outcome, "code": run.code} for run in one.runs
        ],
    }


def schedule_lines(one: Scheduled, now: datetime, resume: str) -> list[str]:
    """A schedule in words, a cron line's times in its own time zone, others in the user's.

    Args:
        resume: the command that starts it again, without what it is of.
    """
    zone = ZoneInfo(one.time_zone) if one.rhythm.startswith("cron") else None
    head = f"{one.subject}: {one.rhythm}"
    head += (f", {one.time_zone}" if zone else "") + (", paused" if one.paused else "")
    if one.paused and one.note:
        head += f" ({one.note})"
    runs = [f"  next {minute(at, zone)}" for at in one.next_runs if at >= now]
    again = [f"  `{resume} {_named(one)} --resume` starts it again"] if one.paused else []
    last = [f"  last {minute(one.last_run, zone)}: {one.last_result}"] if one.last_run else []
    before = [f"  {minute(run.at, zone)}: {_outcome(run)}" for run in one.runs[1:]]
    return [head, *last, *before, *again, *runs]


def _named(one: Scheduled) -> str:
    """As commands name it: a book by its id, a manuscript by novel and scene."""
    return one.subject.removesuffix("/-").replace("/", " ")


def _outcome(run: ScheduledRun) -> str:
    return f"{run.outcome} ({run.code})" if run.code else run.outcome
