"""Verbs that tell a run something: pause, resume, stop, kill."""

import asyncio
from typing import Annotated, Literal

import typer

from gateway.cli.acknowledgement import print_acknowledgement
from gateway.cli.context import services_of
from gateway.cli.manuscript.arguments import NovelArgument, SceneArgument
from gateway.cli.output import JsonFlag, Printer
from gateway.desk.engine.pipelines import Message
from gateway.desk.manuscript import runs
from gateway.desk.works.documents import Document
from schemas.agent_state import WHOLE_NOVEL
from schemas.control import KillRequest

ReasonOption = Annotated[str, typer.Option("--reason", help="Kept in the run's history.")]


def pause(
    ctx: typer.Context, novel: NovelArgument = ".", scene: SceneArgument = WHOLE_NOVEL, json: JsonFlag = False
) -> None:
    """Pause the run after its current step.

    \b
      penwright manuscript pause ~/novels/tide
    """
    _tell(ctx, novel, scene, "pause", json, done="pauses after the step in hand")


def resume(
    ctx: typer.Context, novel: NovelArgument = ".", scene: SceneArgument = WHOLE_NOVEL, json: JsonFlag = False
) -> None:
    """Resume a paused run.

    \b
      penwright manuscript resume ~/novels/tide

    A run that spent its budget pauses by itself; raise the cap first.
    """
    _tell(ctx, novel, scene, "resume", json, done="goes on")


def kill(
    ctx: typer.Context,
    novel: NovelArgument = ".",
    scene: SceneArgument = WHOLE_NOVEL,
    reason: ReasonOption = "killed by hand",
    json: JsonFlag = False,
) -> None:
    """End the run at once; no text is lost.

    \b
      penwright manuscript kill ~/novels/tide --reason "wrong model"

    The call in hand is cut short; `stop` lets it end.
    """
    request = KillRequest(who=services_of(ctx).person(), reason=reason)
    _tell(ctx, novel, scene, request, json, done="ends at once")


def stop(
    ctx: typer.Context,
    novel: NovelArgument = ".",
    scene: SceneArgument = WHOLE_NOVEL,
    reason: ReasonOption = "stopped by hand",
    json: JsonFlag = False,
) -> None:
    """End the run after the call in hand, whose reply is kept and not applied.

    \b
      penwright manuscript stop ~/novels/tide
    """
    services = services_of(ctx)
    found = runs.document(services, novel, scene)
    asyncio.run(runs.stop(services, found, reason))
    _heard(Printer(json), found, "stop", "ends after the call in hand")


def _tell(ctx: typer.Context, novel: str, scene: str, message: Message, json: bool, *, done: str) -> None:
    services = services_of(ctx)
    found = runs.document(services, novel, scene)
    asyncio.run(runs.send(services, found, message))
    _heard(Printer(json), found, message, done)


def _heard(out: Printer, found: Document, message: Message | Literal["stop"], done: str) -> None:
    ids = {"novel_id": found.novel.novel_id, "scene": found.scene, "document": found.name}
    print_acknowledgement(out, f"The run on {found.name}", message, done, ids)
