"""Verbs that tell a scan something: pause, resume, kill."""

import asyncio
from typing import Annotated

import typer

from gateway.cli.acknowledgement import print_acknowledgement
from gateway.cli.cite.scanning import document
from gateway.cli.context import services_of
from gateway.cli.manuscript.arguments import NovelArgument, SceneOption
from gateway.cli.output import JsonFlag, Printer
from gateway.desk.citations import scans
from gateway.desk.engine.pipelines import Message
from schemas.control import KillRequest


def pause(
    ctx: typer.Context, novel: NovelArgument = ".", scene: SceneOption = None, json: JsonFlag = False
) -> None:
    """Pause the scan after its current step.

    \b
      penwright cite pause ~/papers/ebb
    """
    _tell(ctx, novel, scene, "pause", json, done="pauses after the step in hand")


def resume(
    ctx: typer.Context, novel: NovelArgument = ".", scene: SceneOption = None, json: JsonFlag = False
) -> None:
    """Resume a paused scan.

    \b
      penwright cite resume ~/papers/ebb
    """
    _tell(ctx, novel, scene, "resume", json, done="goes on")


def kill(
    ctx: typer.Context,
    novel: NovelArgument = ".",
    scene: SceneOption = None,
    reason: Annotated[str, typer.Option("--reason", help="Kept in the run's history.")] = "killed by hand",
    json: JsonFlag = False,
) -> None:
    """End the scan; what it proposed is kept, and can be decided later.

    \b
      penwright cite kill ~/papers/ebb --reason "wrong model"
    """
    request = KillRequest(who=services_of(ctx).person(), reason=reason)
    _tell(ctx, novel, scene, request, json, done="ends")


def _tell(
    ctx: typer.Context, novel: str, scene: str | None, message: Message, json: bool, *, done: str
) -> None:
    services = services_of(ctx)
    found = document(services, novel, scene)
    asyncio.run(scans.send(services, found, message))
    ids = {"novel_id": found.novel.novel_id, "scene": found.scene, "document": found.name}
    print_acknowledgement(Printer(json), f"The scan of {found.name}", message, done, ids)
