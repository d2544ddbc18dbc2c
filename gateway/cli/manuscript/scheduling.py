"""Verbs for writing on a timetable: schedule, unschedule, schedules."""

import asyncio
from typing import Annotated, Final

import typer

from gateway.cli.book.schedule import as_json as book_json
from gateway.cli.book.schedule import schedule_lines
from gateway.cli.context import services_of
from gateway.cli.manuscript.arguments import NovelArgument, SceneArgument
from gateway.cli.manuscript.reports import note_if_new
from gateway.cli.manuscript.running import text_of
from gateway.cli.output import JsonFlag, Printer
from gateway.desk.book.schedules import WINDOW, timetable
from gateway.desk.manuscript import runs
from gateway.desk.manuscript import scheduling as desk
from gateway.desk.manuscript.runs import Wanted
from gateway.desk.pipelines import Scheduled
from schemas.agent_state import WHOLE_NOVEL

RESUME: Final = "penwright manuscript schedule"


def schedule(
    ctx: typer.Context,
    novel: NovelArgument = ".",
    scene: SceneArgument = WHOLE_NOVEL,
    cron: Annotated[
        str | None, typer.Option("--cron", help="Five fields, for instance '30 6 * * 1-5'.")
    ] = None,
    every: Annotated[str | None, typer.Option("--every", help="An interval: 90m, 6h, 1d.")] = None,
    time_zone: Annotated[
        str, typer.Option("--time-zone", help="Of the cron line, for instance Europe/Vienna.")
    ] = "UTC",
    pause_on_failure: Annotated[
        bool, typer.Option("--pause-on-failure", help="Stop the schedule when a run fails.")
    ] = False,
    instructions: Annotated[
        str | None, typer.Option("--instructions", "-i", help="What to write, or @FILE.")
    ] = None,
    window: Annotated[
        str,
        typer.Option("--window", help="Start by a delay of its own within this time; 0: sharp."),
    ] = WINDOW,
    pause: Annotated[
        bool | None, typer.Option("--pause/--resume", help="Stop or restart the schedule there is.")
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Write the manuscript on a timetable, with its settings as they are now.

    A run is skipped while another is going on.

    \b
      penwright manuscript schedule ~/novels/tide --every 1d -i "Go on with the next section."
      penwright manuscript schedule tide --cron "30 6 * * *" --time-zone Europe/Vienna
      penwright manuscript schedule tide --pause

    A second call replaces the timetable.
    """
    services, out = services_of(ctx), Printer(json)
    found = runs.document(services, novel, scene)
    is_new = note_if_new(services, out, found)
    if pause is not None and not (cron or every):
        made = asyncio.run(desk.pause(services, found, paused=pause))
    else:
        when = timetable(cron, every, time_zone=time_zone, pause_on_failure=pause_on_failure, window=window)
        wanted = Wanted(instructions=text_of(instructions))
        made = asyncio.run(desk.put(services, found, when, wanted))
    data = {
        "status": "scheduled",
        "novel_id": found.novel.novel_id,
        "scene": found.scene,
        "new_scene": is_new,
    }
    out.result({**data, **as_json(made)}, schedule_lines(made, services.now(), RESUME))


def unschedule(
    ctx: typer.Context, novel: NovelArgument = ".", scene: SceneArgument = WHOLE_NOVEL, json: JsonFlag = False
) -> None:
    """Delete the manuscript's schedule.

    \b
      penwright manuscript unschedule ~/novels/tide
    """
    services = services_of(ctx)
    found = runs.document(services, novel, scene)
    asyncio.run(desk.remove(services, found))
    data = {"status": "unscheduled", "document": found.name}
    Printer(json).result(data, f"{found.name} has no schedule any more.")


def schedules(ctx: typer.Context, json: JsonFlag = False) -> None:
    """List schedules, next runs and last results.

    \b
      penwright manuscript schedules --json
    """
    services = services_of(ctx)
    found = asyncio.run(desk.every(services))
    lines = [line for one in found for line in schedule_lines(one, services.now(), RESUME)]
    Printer(json).result(
        {"schedules": [as_json(one) for one in found]},
        lines or ["No manuscript has a schedule; `penwright manuscript schedule --every 1d` makes one."],
    )


def as_json(one: Scheduled) -> dict[str, object]:
    """A schedule with times as text."""
    told = book_json(one)
    return {"document": told.pop("book_id"), **told}
