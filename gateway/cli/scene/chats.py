"""Verbs that exchange scenes with files: import, export."""

import asyncio
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from gateway.cli.context import services_of
from gateway.cli.live import busy, money
from gateway.cli.output import Interrupted, JsonFlag, NotBegun, Printer
from gateway.cli.scene.arguments import SceneArgument, SetOption, pairs
from gateway.cli.standard_output import placed
from gateway.cli.worlds.arguments import VerboseFlag
from gateway.cli.worlds.importing import report_lines
from gateway.cli.worlds.reports import namesakes_line
from gateway.cli.wrapping import wrapped
from gateway.desk.scene import exports, imports, remembering
from gateway.desk.scene.creating import NewScene
from gateway.desk.worlds import storing
from gateway.desk.worlds.kinds import SCENE
from gateway.desk.worlds.reading_files import read_bytes
from penwright.domain.cards.refusals import MOST_FILE_BYTES
from penwright.domain.text.counted import counted


def import_(
    ctx: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A chat of SillyTavern, or our own JSON.")],
    arc: Annotated[str, typer.Option("--arc", "-a", metavar="ARC", help="The arc it belongs to.")] = "",
    world: Annotated[str, typer.Option("--world", "-w", metavar="WORLD", help="In its first arc.")] = "",
    title: Annotated[str, typer.Option("--title", help="Default: the character's name.")] = "",
    persona: Annotated[
        str, typer.Option("--persona", "-p", metavar="NAME", help="Default: as it says.")
    ] = "",
    as_: Annotated[
        list[str] | None,
        typer.Option("--as", metavar="NAME=ID", help="Who speaks there, where several have the name."),
    ] = None,
    set_: SetOption = None,
    verbose: VerboseFlag = False,
    json: JsonFlag = False,
) -> None:
    """Make a scene of a SillyTavern chat or our own JSON, with every alternative.

    \b
      penwright scene import chat.jsonl --world skerrow
      penwright scene import chat.jsonl --world skerrow --as "Ann=ann-2"
      penwright scene import harbour.json --world skerrow         # its messages only

    People it names who are not known are made, with a name and nothing else; import their cards first
    (`penwright character import FILE`) to have them whole. Of a long chat that was broken off, the same
    command stores the rest; until then no round is played in its scene.
    """
    services, out = services_of(ctx), Printer(json)
    content = read_bytes(file, most=MOST_FILE_BYTES)
    wish = NewScene(title=title, arc=arc, world=world, persona=persona, settings=pairs(set_))
    with busy(f"reading {file.name}", quiet=json) as tell, _Going(tell) as going:
        done = imports.import_chat(services, content, wish, meant=pairs(as_), told=going.show_stored)
    later = asyncio.run(remembering.begin(services, done))
    scene = done.scene
    made, others = list(done.made), storing.namesakes(services, SCENE, scene)
    lines = [f"{scene.id}: {counted(done.messages, 'message')} in {counted(done.rounds, 'round')}."]
    lines += [namesakes_line(others)] if others else []
    lines += wrapped("made for it: ", ", ".join(made)) if made else []
    lines += report_lines(done.report, verbose=verbose)
    lines += _later_lines(later)
    lines.append(f"next: `penwright scene continue {scene.id}` plays it on")
    data = {"status": "imported", "scene": scene.id, "rounds": done.rounds, "messages": done.messages}
    report = [each.model_dump(mode="json") for each in done.report]
    out.result({**data, "made": made, "namesakes": others, "report": report, "later": asdict(later)}, lines)


class _Going:
    """Says how far an import is; at Ctrl-C, that the same command goes on with what is stored."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell, self._stands = tell, ""

    def show_stored(self, stored: int, of: int) -> None:
        self._stands = f"{stored:,} of {counted(of, 'round')} are stored"
        self._tell(self._stands)

    def __enter__(self) -> "_Going":
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None and issubclass(kind, KeyboardInterrupt):
            if self._stands:
                raise Interrupted(f"{self._stands}; the same command goes on with the rest") from None
            raise NotBegun("the import") from None


def _later_lines(later: remembering.MemoryOutlook) -> list[str]:
    """Lines on the work in the background, about its cost, and why it waits."""
    price = "at an unknown price" if later.cost_micros is None else f"about {money(later.cost_micros)}"
    calls = f"{counted(later.calls, 'call')} of {later.model}, {price}"
    summed = f"; {counted(later.messages, 'message')} to sum up ({calls})" if later.messages else ""
    when = f"after its next round ({later.warning})" if later.warning else "in the background"
    return [f"{counted(later.rounds, 'round')} to remember{summed}: {when}"]


def export(
    ctx: typer.Context,
    scene: SceneArgument,
    to: Annotated[str, typer.Option("--to", metavar="FORMAT", help="markdown, json or silly-tavern.")] = "",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Default: the id, in this folder.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a file that exists.")] = False,
    json: JsonFlag = False,
) -> None:
    """Write a scene as Markdown, JSON or a SillyTavern chat.

    \b
      penwright scene export harbour --to markdown
      penwright scene export harbour --output harbour.jsonl     # for SillyTavern
      penwright scene export harbour --to markdown --output -   # to standard output

    Markdown has the chosen texts; JSON has everything: alternatives, rounds, states, memories, and what was
    undone, marked as such.
    """
    out = Printer(json)
    with placed(output, out) as place:
        done = exports.export(services_of(ctx), scene, form=to, output=place, force=force)
        line = f"{done.path}: {counted(done.messages, 'message')} as {done.form}{_undone(done)}"
        out.result({"status": "exported", **asdict(done)}, line)


def _undone(done: exports.Exported) -> str:
    if not done.undone:
        return ""
    where = "marked in it" if done.form == "json" else "left out (`--to json` has all)"
    return f"; {counted(done.undone, 'undone message')} {where}"
