"""The verb for conflicts between an edit of the agents and what people wrote meanwhile."""

import asyncio
from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated

import typer

from gateway.cli.context import services_of
from gateway.cli.live import busy
from gateway.cli.manuscript.arguments import NovelArgument, SceneArgument
from gateway.cli.output import JsonFlag, Printer
from gateway.desk.manuscript import refused_edits, runs
from gateway.desk.manuscript.refused_edits import Keep, RefusedEdit
from penwright.domain.text.escaping import printable
from penwright.errors import NotFound, UsageMistake
from schemas.agent_state import WHOLE_NOVEL


def settle(
    ctx: typer.Context,
    novel: NovelArgument = ".",
    scene: SceneArgument = WHOLE_NOVEL,
    keep: Annotated[
        Keep | None, typer.Option("--keep", help="mine: the text stays; edit: the agent's version goes in.")
    ] = None,
    conflict: Annotated[
        str, typer.Option("--conflict", metavar="NAME", help="Which one, as listed. Default: the only one.")
    ] = "",
    json: JsonFlag = False,
) -> None:
    """List the edits in conflict with yours, or settle one.

    \b
      penwright manuscript settle ~/novels/tide
      penwright manuscript settle ~/novels/tide --keep mine
      penwright manuscript settle tide opening --conflict NAME --keep edit

    An edit of the agents is in conflict if you changed its passage meanwhile; the text stays as you wrote it
    until you take the agent's version.
    """
    services, out = services_of(ctx), Printer(json)
    found = runs.document(services, novel, scene)
    left = refused_edits.unsettled(services, found)
    if keep is None:
        if conflict:
            left = (_chosen(left, conflict, found.words),)
        conflicts = [{"name": each.name, **asdict(each)} for each in left]
        out.result({"novel_id": found.novel.novel_id, "scene": scene, "conflicts": conflicts}, _listed(left))
        return
    edit = _chosen(left, conflict, found.words)
    with busy("settling", quiet=json):
        settled = refused_edits.decide(services, found, edit.entry, edit.number, keep, who=services.person())
        asyncio.run(settled)
    said = "The other version is in the text." if keep == "edit" else "The text stays as it is."
    out.result({"status": "settled", "name": edit.name, "keep": keep}, said)


def _chosen(left: Sequence[RefusedEdit], name: str, words: str) -> RefusedEdit:
    """The conflict that is meant.

    Raises:
        NotFound: ``no-such-conflict``.
        UsageMistake: ``which-conflict`` without a name, where there are several.
    """
    meant = [each for each in left if name in ("", each.name)]
    hint = f"`penwright manuscript settle {words}` lists those that are open"
    if not meant:
        said = f"there is no open conflict {name!r}" if name else "there is no open conflict"
        raise NotFound("no-such-conflict", said, hint=hint)
    if len(meant) > 1:
        raise UsageMistake("which-conflict", f"there are {len(meant)} open conflicts", hint=hint)
    return meant[0]


def _listed(left: Sequence[RefusedEdit]) -> list[str]:
    if not left:
        return ["No edit of the agents is in conflict with yours."]
    return [line for each in left for line in _lines(each)]


def _lines(edit: RefusedEdit) -> list[str]:
    now, wanted = edit.nearest or "(deleted)", edit.wanted or edit.replace or "(deleted)"
    return [
        f"{edit.name}: {printable(edit.message)}",
        *(f"  now:   {printable(line)}" for line in now.splitlines()),
        *(f"  agent: {printable(line)}" for line in wanted.splitlines()),
    ]
