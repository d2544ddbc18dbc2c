"""Verbs of the registry: move, forget."""

import asyncio
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from gateway.cli.completing import works
from gateway.cli.context import services_of
from gateway.cli.output import JsonFlag, Printer
from gateway.desk.manuscript import registry as desk

NamedArgument = Annotated[
    str,
    typer.Argument(
        metavar="NOVEL",
        help="Its registered id, or the folder where it was.",
        autocompletion=works("novel"),
    ),
]


def move(
    ctx: typer.Context,
    novel: NamedArgument,
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Where it is now.")],
    json: JsonFlag = False,
) -> None:
    """Register a novel at the folder to which you moved it.

    \b
      mv ~/novels/tide ~/shelf/tide
      penwright manuscript move tide-4f2a ~/shelf/tide

    No file is touched; it refuses a folder that holds another novel.
    """
    moved = asyncio.run(desk.move(services_of(ctx), novel, folder))
    line = f"{moved.novel_id} is at {moved.path} now."
    Printer(json).result({"status": "moved", **asdict(moved)}, line)


def forget(ctx: typer.Context, novel: NamedArgument, json: JsonFlag = False) -> None:
    """Take a novel off the list; its folder is not touched.

    \b
      penwright manuscript forget tide-4f2a

    Its log stays. The next run on the novel registers it again.
    """
    gone = asyncio.run(desk.forget(services_of(ctx), novel))
    line = f"{gone.novel_id} is listed no more; {gone.path} was not touched."
    Printer(json).result({"status": "forgotten", **asdict(gone)}, line)
