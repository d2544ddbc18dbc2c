"""Verbs that speak to the director: approve a plan that waits, leave a note."""

import asyncio
from typing import Annotated

import typer

from gateway.cli.context import services_of
from gateway.cli.output import JsonFlag, Printer
from gateway.cli.scene.arguments import SceneArgument
from gateway.desk.scene import direction
from schemas.director import ApprovedTurn


def approve(
    ctx: typer.Context,
    scene: SceneArgument,
    act: Annotated[
        list[str] | None,
        typer.Option(
            "--act",
            metavar="NAME[=GUIDANCE]",
            help="Who acts, in this order, and nobody else. May be repeated.",
        ),
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Have the plan that waits be played, as it is or as you want it.

    \b
      penwright scene approve harbour
      penwright scene approve harbour --act "Bob=Speak of the road." --act Ann

    Without =GUIDANCE a character is told what the director planned for it; who is not in the plan needs it.
    Plans wait in scenes with `penwright scene form ID --set settings.hold_plan=true`.
    """
    turns = [_turn(each) for each in act] if act else None
    done = asyncio.run(direction.approve(services_of(ctx), scene, turns))
    data = {"status": "approved", "scene": scene, "pass": done.number}
    Printer(json).result(data, f"The plan of pass {done.number} is being played.")


def note(
    ctx: typer.Context,
    scene: SceneArgument,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What the director is told.")],
    standing: Annotated[
        bool, typer.Option("--standing", help="In every round from now on; an empty TEXT takes it back.")
    ] = False,
    json: JsonFlag = False,
) -> None:
    """Tell the director something, for one round or for all that follow.

    \b
      penwright scene note harbour "Let the ferry come in."
      penwright scene note harbour "Keep everyone dry." --standing
    """
    heard = asyncio.run(direction.note(services_of(ctx), scene, text, standing=standing))
    when = "in every round from now on" if standing else "in this round" if heard else "in the next round"
    data = {"status": "noted", "scene": scene, "standing": standing, "running": heard}
    step = f"`penwright scene watch {scene}` follows it" if heard else f"`penwright scene continue {scene}`"
    Printer(json).result(data, [f"The director is told {when}.", f"next: {step}"])


def _turn(given: str) -> ApprovedTurn:
    """``NAME=GUIDANCE``; without ``=`` the character is told what was planned for it."""
    who, told, guidance = given.partition("=")
    return ApprovedTurn(who=who.strip(), guidance=guidance.strip() if told else None)
