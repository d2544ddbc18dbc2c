"""Verbs that speak to the director: approve a plan that waits, leave a note."""

import asyncio
from typing import Annotated

import typer

from gateway.cli.context import services_of
from gateway.cli.live import busy
from gateway.cli.output import JsonFlag, Printer
from gateway.cli.scene.arguments import SceneArgument
from gateway.cli.scene.reports import next_lines
from gateway.cli.scene.timelines import plan_lines
from gateway.desk.scene import casting, direction
from gateway.desk.scene.rounds import scene_of
from gateway.desk.services import Services
from penwright.errors import UsageMistake
from schemas.director import ApprovedTurn
from schemas.scene import PassRecord


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


def direct(
    ctx: typer.Context,
    scene: SceneArgument,
    text: Annotated[str, typer.Argument(metavar="[TEXT]", help="What the director is to arrange.")] = "",
    accept: Annotated[
        bool, typer.Option("--accept", help="Play the plan, which then need not wait.")
    ] = False,
    reject: Annotated[bool, typer.Option("--reject", help="Take back the plan that waits.")] = False,
    json: JsonFlag = False,
) -> None:
    """Ask the director for something; its plan waits for your word.

    \b
      penwright scene direct harbour "Make it night and bring Bob in."
      penwright scene direct harbour --accept
      penwright scene direct harbour --reject

    A plan that is accepted is played as the next round; of one that is rejected nothing stays.
    """
    if accept and reject:
        raise UsageMistake(
            "what-to-do", "a plan is accepted or rejected, not both", hint="give one of the two"
        )
    if accept + reject + bool(text) != 1 and not (text and accept):
        raise UsageMistake("what-to-do", "nothing was asked", hint="give a TEXT, `--accept` or `--reject`")
    services, out = services_of(ctx), Printer(json)
    if reject:
        found = asyncio.run(direction.reject(services, scene))
        out.result({"status": "rejected", "scene": found.id}, "The plan is taken back; nothing of it stays.")
        return
    with busy("the director plans", quiet=json or not text):
        id, plan = asyncio.run(_directed(services, scene, text, accept=accept))
    names = {each.id: each.name for each in casting.cast(services, id).cast}
    steps = [f"penwright scene direct {id} {word}" for word in ("--accept", "--reject")]
    said = ["The plan is being played."] if accept else ["The plan waits for your word."]
    data = {"status": "approved" if accept else "waits", "scene": id, "plan": plan.model_dump(mode="json")}
    after = [f"penwright scene watch {id}"] if accept else steps
    out.result(data, [*plan_lines(plan, names), *said, *next_lines(*after)])


async def _directed(services: Services, named: str, text: str, *, accept: bool) -> tuple[str, PassRecord]:
    """The id of the scene, and the plan that waits or is played."""
    if text:
        scene, plan = await direction.propose(services, named, text)
        named = scene.id
    if accept:
        plan = await direction.approve(services, named)
    return await asyncio.to_thread(lambda: scene_of(services, named).id), plan


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
    if standing and not text.strip():
        data = {"status": "taken-back", "scene": scene, "standing": False, "running": heard}
        Printer(json).result(data, ["The director is told nothing of its own in later rounds any more."])
        return
    when = "in every round from now on" if standing else "in this round" if heard else "in the next round"
    data = {"status": "noted", "scene": scene, "standing": standing, "running": heard}
    step = f"`penwright scene watch {scene}` follows it" if heard else f"`penwright scene continue {scene}`"
    Printer(json).result(data, [f"The director is told {when}.", f"next: {step}"])


def _turn(given: str) -> ApprovedTurn:
    """``NAME=GUIDANCE``; without ``=`` the character is told what was planned for it."""
    who, told, guidance = given.partition("=")
    return ApprovedTurn(who=who.strip(), guidance=guidance.strip() if told else None)
