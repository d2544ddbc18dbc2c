"""Verbs that list: scenes, rounds, events."""

import asyncio
import json as jsonlib
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict
from typing import Annotated

import typer

from gateway.cli.completing import things
from gateway.cli.context import services_of
from gateway.cli.live import money
from gateway.cli.output import JsonFlag, Printer
from gateway.cli.scene.arguments import SceneArgument
from gateway.cli.tables import WIDTH, cut, table
from gateway.cli.times import minute
from gateway.cli.wrapping import wrapped
from gateway.desk.runs.listing import check_cursor
from gateway.desk.scene import board, rounds, views
from gateway.desk.scene import events as feed
from gateway.desk.scene.board import SceneLine
from penwright.domain.control import shown_outcome
from penwright.domain.text.counted import counted
from penwright.domain.text.escaping import printable
from schemas.records import Event
from schemas.scene import NumberedRound

_POLL_S = 0.5
_LONGEST_WORD = 30


def list_(
    ctx: typer.Context,
    world: Annotated[
        str,
        typer.Option("--world", "-w", help="Only scenes of this world.", autocompletion=things("world")),
    ] = "",
    json: JsonFlag = False,
) -> None:
    """List the scenes, and what runs in them.

    \b
      penwright scene list
      penwright scene list --world skerrow
    """
    services, out = services_of(ctx), Printer(json)
    known = asyncio.run(board.board(services, world))
    if known.trouble:
        out.note(f"What runs now is not known: {known.trouble}")
    none = ["There is no scene; `penwright scene create TITLE --world WORLD` makes one."]
    data = {"scenes": [asdict(each) for each in known.lines], "trouble": known.trouble}
    out.result(data, [line for each in known.lines for line in _scene_lines(each)] or none)


def log(
    ctx: typer.Context,
    scene: SceneArgument,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=1_000, help="How many at most.")] = 20,
    json: JsonFlag = False,
) -> None:
    """List the rounds: outcome, who spoke, cost. The oldest comes first.

    \b
      penwright scene log harbour
      penwright scene show harbour --round 2     # one of them in full

    A round that was played again, or a reply of it, has several takes; the one without a take is played now.
    """
    found, listed = views.log(services_of(ctx), scene, newest=limit)
    none = [f"{found.id} has no round yet; `penwright scene say {found.id} TEXT` begins one."]
    names = views.names_in(services_of(ctx), found.id)
    cells = [_round_cells(each, names) for each in listed]
    lines = table([("ROUND", "KIND", "STATUS", "SPOKE", "COST", "BEGAN"), *cells])
    data = {"scene": found.id, "rounds": [each.model_dump(mode="json") for each in listed]}
    Printer(json).result(data, lines if listed else none)


def events(
    ctx: typer.Context,
    scene: SceneArgument,
    after: Annotated[
        int, typer.Option("--after", metavar="CURSOR", min=0, help="The cursor that was printed last.")
    ] = 0,
    follow: Annotated[
        bool, typer.Option("--follow", "-f", help="Go on printing what happens, until Ctrl-C.")
    ] = False,
    every: Annotated[bool, typer.Option("--all", help="Also what the roles' own runs did.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document per line.")] = False,
) -> None:
    """Print what happened since a cursor, each event once, in order.

    \b
      penwright scene events harbour
      penwright scene events harbour --after 17 --follow --json

    Each line begins with its cursor; a client that comes back goes on with --after and the last one it saw.
    """
    services = services_of(ctx)
    found = rounds.scene_of(services, scene)
    cursor = after
    with services.open_store() as store, suppress(KeyboardInterrupt):
        check_cursor(store, after)
        while True:
            for event in feed.events_after(store, found.id, cursor):
                cursor = event.cursor
                if every or feed.is_of_the_scene(event):
                    sys.stdout.write((event.model_dump_json() if json else _event_line(event)) + "\n")
                    sys.stdout.flush()
            if not follow:
                break
            time.sleep(_POLL_S)
    Printer(json).note(f"cursor {cursor}: `--after {cursor}` goes on from here")


def _scene_lines(line: SceneLine) -> list[str]:
    """The id, which is never cut, and what is to be known of the scene."""
    played = counted(line.rounds, "round")
    state = f"; round {line.round or ''} runs: {line.detail or line.state}" if line.state != "idle" else ""
    state = f"; unfinished: {line.detail}" if line.state == "importing" else state
    names = line.names
    branch = f", a branch of {names.branched_from}" if line.branched_from else ""
    place = f"{line.title}, in {names.arc} of {names.world}{branch}: {played}{state}"
    lines = [line.scene, *wrapped("   ", place.replace("round  runs", "a round runs"))]
    return [*lines, f"   next: `penwright scene approve {line.scene}`"] if line.waits else lines


def _round_cells(found: NumberedRound, names: Mapping[str, str]) -> tuple[str, ...]:
    spoken = [each.character for each in found.turns if each.outcome == "spoken"]
    spoke = ", ".join(printable(names.get(each, each)) for each in spoken) or "-"
    shown = shown_outcome(found.status, found.code)
    status = f"{shown} ({found.code})" if found.code not in ("", shown) else shown
    status += f", {counted(len(found.warnings), 'warning')}" if found.warnings else ""
    return (
        found.name.words.removeprefix("round "),
        found.kind,
        status,
        spoke,
        money(found.cost_micros, found.unknown_prices),
        minute(found.started_at),
    )


def _event_line(event: Event) -> str:
    told = " ".join(f"{name}={_word(value)}" for name, value in event.data.items() if value not in ("", None))
    return cut(f"{event.cursor}  {event.kind}  {told}", WIDTH)


def _word(value: object) -> str:
    return _short(value if isinstance(value, str) else jsonlib.dumps(value, ensure_ascii=False))


def _short(text: str) -> str:
    return cut(printable(" ".join(text.split())), _LONGEST_WORD)
