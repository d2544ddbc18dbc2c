"""Verbs that tell a round something: force, veto, hand-over, pause, resume, stop, kill."""

import asyncio
from typing import Annotated, Literal

import typer

from gateway.cli.acknowledgement import print_acknowledgement
from gateway.cli.completing import things
from gateway.cli.context import services_of
from gateway.cli.output import JsonFlag, Printer
from gateway.cli.scene.arguments import SceneArgument, WhoArgument
from gateway.desk.engine.pipelines import Message
from gateway.desk.scene import remembering, rounds
from gateway.desk.scene import steering as desk
from gateway.desk.scene.steering import Verb
from schemas.control import KillRequest

MemoryFlag = Annotated[
    bool, typer.Option("--memory", help="Not the round: the run that makes memories and the summary.")
]
ReasonOption = Annotated[str, typer.Option("--reason", help="Kept in the round's history.")]


def force(ctx: typer.Context, scene: SceneArgument, name: WhoArgument, json: JsonFlag = False) -> None:
    """Have a character act next: in the round that runs, or else in the next one.

    \b
      penwright scene force harbour Ann
    """
    _steer(ctx, scene, "force", name, json, said="acts")


def veto(ctx: typer.Context, scene: SceneArgument, name: WhoArgument, json: JsonFlag = False) -> None:
    """Keep a character from acting in the round that runs, or else in the next one.

    \b
      penwright scene veto harbour Bob
    """
    _steer(ctx, scene, "veto", name, json, said="does not act")


def hand_over(
    ctx: typer.Context,
    scene: SceneArgument,
    name: Annotated[
        str,
        typer.Argument(metavar="PERSONA", help="A persona's id or name.", autocompletion=things("persona")),
    ],
    json: JsonFlag = False,
) -> None:
    """Speak as another persona from the next round on.

    \b
      penwright scene hand-over harbour Mira
    """
    _steer(ctx, scene, "hand-over", name, json, said="is whom the user speaks as")


def pause(
    ctx: typer.Context, scene: SceneArgument, memory: MemoryFlag = False, json: JsonFlag = False
) -> None:
    """Pause the round after its current step.

    \b
      penwright scene pause harbour
      penwright scene pause harbour --memory
    """
    _tell(ctx, scene, "pause", memory, json, done="pauses after the step in hand")


def resume(
    ctx: typer.Context, scene: SceneArgument, memory: MemoryFlag = False, json: JsonFlag = False
) -> None:
    """Resume a paused round.

    \b
      penwright scene resume harbour

    A round that spent its budget pauses by itself; raise the cap first.
    """
    _tell(ctx, scene, "resume", memory, json, done="goes on")


def kill(
    ctx: typer.Context,
    scene: SceneArgument,
    reason: ReasonOption = "killed by hand",
    memory: MemoryFlag = False,
    json: JsonFlag = False,
) -> None:
    """End the round at once, whatever it does; what is spoken stays.

    \b
      penwright scene kill harbour --reason "wrong model"
    """
    request = KillRequest(who=services_of(ctx).person(), reason=reason)
    _tell(ctx, scene, request, memory, json, done="ends at once")


def stop(
    ctx: typer.Context, scene: SceneArgument, reason: ReasonOption = "stopped by hand", json: JsonFlag = False
) -> None:
    """End the round in mid-reply: what is spoken stays, nobody else acts.

    \b
      penwright scene stop harbour
    """
    found = asyncio.run(rounds.stop(services_of(ctx), scene, reason))
    _heard(Printer(json), found.id, "The round", "stop", "ends; what is spoken stays")


def _steer(ctx: typer.Context, scene: str, verb: Verb, name: str, json: bool, *, said: str) -> None:
    done = asyncio.run(desk.steer(services_of(ctx), scene, verb, name))
    when = "the round that runs" if done.running else "the next round"
    data = {"status": verb, "scene": done.scene, "who": done.who, "running": done.running}
    first = "next, " if verb == "force" and done.running else ""
    word = "from the next round on" if verb == "hand-over" else f"{first}in {when}"
    lines = [f"{done.name} {said} {word}."]
    if not done.running:
        lines.append(f"next: `penwright scene continue {done.scene}` plays it")
    Printer(json).result(data, lines)


def _tell(ctx: typer.Context, scene: str, message: Message, memory: bool, json: bool, *, done: str) -> None:
    send = remembering.send if memory else rounds.send
    found = asyncio.run(send(services_of(ctx), scene, message))
    _heard(Printer(json), found.id, "The memory run" if memory else "The round", message, done)


def _heard(out: Printer, scene: str, run: str, message: Message | Literal["stop"], done: str) -> None:
    print_acknowledgement(out, f"{run} of {scene}", message, done, {"scene": scene})
