"""``penwright scene cast``: who is present."""

from typing import Annotated

import typer

from gateway.cli.context import services_of
from gateway.cli.output import JsonFlag, Printer
from gateway.cli.scene.arguments import SceneArgument, pairs
from gateway.cli.scene.reports import next_lines
from gateway.cli.tables import table
from gateway.desk.scene import casting
from schemas.director import CastMember
from schemas.worlds import Scene

NameArgument = Annotated[str, typer.Argument(metavar="CHARACTER", help="A character's id or name.")]


def cast(
    ctx: typer.Context,
    scene: SceneArgument,
    add: Annotated[
        list[str] | None, typer.Option("--add", metavar="NAME", help="Comes in; may be given several times.")
    ] = None,
    remove: Annotated[
        list[str] | None, typer.Option("--remove", metavar="NAME", help="Leaves; may come back.")
    ] = None,
    available: Annotated[
        list[str] | None,
        typer.Option("--available", metavar="NAME", help="Stays out; the director may bring it in."),
    ] = None,
    model: Annotated[
        list[str] | None,
        typer.Option("--model", metavar="NAME=MODEL", help="Plays the character here; empty: as for all."),
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Show who is present and who else may come, or have characters come and go.

    \b
      penwright scene cast harbour
      penwright scene cast harbour --add Cleo --remove Bob
      penwright scene cast harbour --available Dov
      penwright scene cast harbour --model Ann=large --model Bob=

    Within a round the director has characters come and go; who was in a scene once is known to it. What you
    change while a round runs is done at its end.
    """
    services, out = services_of(ctx), Printer(json)
    is_change = bool(add or remove or available or model)
    done = (
        casting.change(services, scene, add or (), remove or (), available or (), pairs(model))
        if is_change
        else casting.cast(services, scene)
    )
    _print(out, done, "changed" if is_change else "shown")


def take_over(ctx: typer.Context, scene: SceneArgument, name: NameArgument, json: JsonFlag = False) -> None:
    """Play a character yourself from the next round on.

    \b
      penwright scene take-over harbour Ann
      penwright scene say harbour "I lit it." --as Ann

    No model plays it until you give it back, and what a director plans for it is refused.
    """
    done = casting.take_over(services_of(ctx), scene, name)
    _print(Printer(json), done, "taken", f'penwright scene say {done.scene.id} TEXT --as "{name}"')


def give_back(ctx: typer.Context, scene: SceneArgument, name: NameArgument, json: JsonFlag = False) -> None:
    """Have the model play a character again, from the next round on.

    \b
      penwright scene give-back harbour Ann
    """
    done = casting.give_back(services_of(ctx), scene, name)
    _print(Printer(json), done, "given-back", f"penwright scene continue {done.scene.id}")


def _print(out: Printer, done: casting.Casting, status: str, *steps: str) -> None:
    rows = [(each.id, each.name, _where(each, done.scene)) for each in done.cast]
    none = next_lines("penwright character create NAME")
    data = {
        "status": status,
        "scene": done.scene.id,
        "cast": [each.model_dump() for each in done.cast],
        "coming": done.scene.coming,
        "going": done.scene.going,
        "models": done.scene.models,
    }
    out.result(data, [*table(rows), *next_lines(*steps)] if rows else none)


def _where(member: CastMember, scene: Scene) -> str:
    said = (
        ("present", member.present),
        ("comes in when the round ends", member.id in scene.coming),
        ("stays out; the director may bring it in", not member.present and member.id not in scene.coming),
        ("goes when the round ends", member.id in scene.going),
        ("played by a person", member.taken),
        (f"played by {scene.models.get(member.id)}", member.id in scene.models),
    )
    return ", ".join(word for word, is_so in said if is_so)
