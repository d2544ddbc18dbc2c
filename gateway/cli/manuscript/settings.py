"""Verbs for several devices on one document: settings, events."""

import json as jsonlib
import shlex
import sys
import time
from contextlib import suppress
from typing import Annotated, Any

import typer

from gateway.cli.context import services_of
from gateway.cli.manuscript.arguments import (
    MaxHunksOption,
    MaxPassesOption,
    MinScoreOption,
    NovelArgument,
    SceneArgument,
)
from gateway.cli.manuscript.running import text_of
from gateway.cli.output import EXIT_REFUSED, JsonFlag, Printer, columns
from gateway.cli.times import minute
from gateway.desk.manuscript import changes, runs
from gateway.desk.manuscript import settings as desk
from gateway.desk.manuscript.runs import Document
from gateway.desk.manuscript.settings import SETTINGS, Clash, Clashes
from penwright.domain.text.escaping import printable
from penwright.errors import Refused
from schemas.agent_state import WHOLE_NOVEL, AgentState, StateEvent, StateWritten

_POLL_S = 0.5
_WIDTH = 100
"""Characters of a value in a list."""


def settings(
    ctx: typer.Context,
    novel: NovelArgument = ".",
    scene: SceneArgument = WHOLE_NOVEL,
    instructions: Annotated[
        str | None, typer.Option("--instructions", "-i", help="What to write, or @FILE.")
    ] = None,
    max_passes: MaxPassesOption = None,
    min_score: MinScoreOption = None,
    max_hunks: MaxHunksOption = None,
    max_targets: Annotated[
        int | None,
        typer.Option("--max-targets", min=1, max=1000, help="Sentences of one citation scan at most."),
    ] = None,
    based_on: Annotated[
        int | None,
        typer.Option("--based-on", metavar="VERSION", min=0, help="What this device read. Default: newest."),
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Show or change a document's settings, whichever devices change them meanwhile.

    \b
      penwright manuscript settings ~/novels/tide
      penwright manuscript settings tide --max-passes 2 --min-score 0.9
      penwright manuscript settings tide -i @instructions.md --based-on 4

    They are for the next run; `write --amend` gives one that goes on new instructions. What another device
    changed after the version that this one read is not overwritten: both values are shown, nothing is stored.

    Exit codes: 0 shown or stored, 3 another device changed the same setting.
    """
    services, out = services_of(ctx), Printer(json)
    found = runs.document(services, novel, scene)
    asked = {
        "instructions": text_of(instructions),
        "max_passes": max_passes,
        "min_score": min_score,
        "max_hunks": max_hunks,
        "max_targets": max_targets,
    }
    values = {name: value for name, value in asked.items() if value is not None}
    if not values:
        _print_settings(out, found, desk.read(services, found))
        return
    written = desk.change(services, found, values, based_on=based_on)
    if isinstance(written, Clashes):
        _print_clashes(out, found, values, written)
    else:
        _print_written(out, found, written)


def events(
    ctx: typer.Context,
    novel: NovelArgument = ".",
    scene: SceneArgument = WHOLE_NOVEL,
    after: Annotated[
        int, typer.Option("--after", metavar="CURSOR", min=0, help="The cursor that was printed last.")
    ] = 0,
    follow: Annotated[
        bool, typer.Option("--follow", "-f", help="Go on printing what changes, until Ctrl-C.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document per line.")] = False,
) -> None:
    """Print what changed since a cursor, each change once, in order.

    \b
      penwright manuscript events ~/novels/tide
      penwright manuscript events tide --after 17 --follow --json

    That is settings, plan, whatever else the agents keep, and new entries of the history. Each line begins
    with its cursor; a device that comes back goes on with --after and the last one it saw.
    """
    services = services_of(ctx)
    found = runs.document(services, novel, scene)
    cursor = after
    with services.open_store() as store, suppress(KeyboardInterrupt):
        while True:
            for event in changes.changes_after(store, found.key, cursor):
                sys.stdout.write((event.model_dump_json() if json else _event_line(event)) + "\n")
                sys.stdout.flush()
                cursor = event.cursor
            if not follow:
                break
            time.sleep(_POLL_S)
    Printer(json).note(f"cursor {cursor}: `--after {cursor}` goes on from here")


def _print_settings(out: Printer, found: Document, state: AgentState) -> None:
    head = f"{found.name}, version {state.version}"
    rows = [(name, _short(getattr(state, name)) or "none yet") for name in SETTINGS]
    out.result({"status": "shown", **_data(found, state)}, [head, *columns(rows)])


def _print_written(out: Printer, found: Document, written: StateWritten) -> None:
    state = written.state
    data = {"status": "stored", **_data(found, state), "changed": written.changed}
    if not written.changed:
        out.result(data, f"Nothing changed; {found.name} is at version {state.version}.")
        return
    rows = [(name, _short(getattr(state, name))) for name in written.changed]
    out.result(data, [f"{found.name} is now at version {state.version}", *columns(rows)])


def _print_clashes(out: Printer, found: Document, values: dict[str, Any], met: Clashes) -> None:
    """Both values of each setting, and how either becomes the one that stands; leaves with exit code 3."""
    names = ", ".join(clash.name for clash in met.clashes)
    error = Refused(
        "settings-conflict",
        f"{names} of {found.name!r} changed after version {met.based_on}, which this change is based on; "
        "nothing was stored",
        hint=f"to put yours over it: `{_over(found, values, met)}`; to keep theirs, leave {names} away",
    )
    if out.as_json:
        told = {"status": "conflict", "code": error.code, "error": error.message}
        out.result({**told, "next": error.details["hint"], **_data(found, met.state), **_clash_data(met)}, "")
        raise typer.Exit(EXIT_REFUSED)
    out.result({}, [line for clash in met.clashes for line in _clash_lines(clash)])
    raise error


def _clash_lines(clash: Clash) -> list[str]:
    theirs = clash.theirs
    who = f"version {theirs.version}, {minute(theirs.at)}, by {theirs.by or 'unknown'}"
    return [
        f"{clash.name}: yours",
        *(f"  {printable(line)}" for line in str(clash.mine).splitlines()),
        f"{clash.name}: theirs ({who})",
        *(f"  {printable(line)}" for line in str(theirs.value).splitlines()),
    ]


def _over(found: Document, values: dict[str, Any], met: Clashes) -> str:  # Any: values of each setting's type
    options = " ".join(f"--{name.replace('_', '-')} {_word(value)}" for name, value in values.items())
    return f"penwright manuscript settings {found.words} {options} --based-on {met.state.version}"


def _word(value: object) -> str:
    text = str(value)
    return shlex.quote(text) if len(text) <= _WIDTH and "\n" not in text else "@FILE"


def _data(found: Document, state: AgentState) -> dict[str, Any]:  # Any: JSON
    shown = state.model_dump(mode="json", include={str(name) for name in SETTINGS})
    return {
        "novel_id": found.key.novel,
        "scene": found.key.scene,
        "version": state.version,
        "settings": shown,
    }


def _clash_data(met: Clashes) -> dict[str, Any]:  # Any: JSON
    clashes = {
        clash.name: {"mine": clash.mine, "theirs": clash.theirs.model_dump(mode="json")}
        for clash in met.clashes
    }
    return {"based_on": met.based_on, "conflicts": clashes}


def _event_line(event: StateEvent) -> str:
    if event.logged is not None:
        first, last = event.logged
        what = f"history: entry {first}" if first == last else f"history: entries {first} to {last}"
        return f"{event.cursor}  {minute(event.at)}  {what}"
    values = event.changes.model_dump(mode="json", exclude_none=True)
    told = "; ".join(f"{name} = {_short(value)}" for name, value in values.items())
    return f"{event.cursor}  {minute(event.at)}  version {event.version}: {told or 'values no longer kept'}"


def _short(value: object) -> str:
    text = value if isinstance(value, str) else jsonlib.dumps(value, ensure_ascii=False)
    line = printable(" ".join(text.split()))
    return line if len(line) <= _WIDTH else f"{line[: _WIDTH - 1]}…"
