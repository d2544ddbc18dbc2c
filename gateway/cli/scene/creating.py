"""Verbs that make and remove scenes: create, remove."""

from typing import Annotated

import typer

from gateway.cli.arguments import SureFlag
from gateway.cli.asking import check_id, confirm
from gateway.cli.completing import things
from gateway.cli.context import services_of
from gateway.cli.output import JsonFlag, Printer
from gateway.cli.scene.arguments import SceneArgument, SetOption, pairs
from gateway.cli.worlds.reports import namesakes_line
from gateway.desk.scene import creating, views
from gateway.desk.scene.creating import NewScene
from gateway.desk.worlds import storing
from gateway.desk.worlds.kinds import SCENE
from penwright.domain.text.counted import counted


def create(
    ctx: typer.Context,
    title: Annotated[str, typer.Argument(metavar="TITLE", help="Its id is made of it.")],
    arc: Annotated[str, typer.Option("--arc", "-a", metavar="ARC", help="The arc it belongs to.")] = "",
    world: Annotated[
        str,
        typer.Option(
            "--world",
            "-w",
            metavar="WORLD",
            help="In its first arc; what is missing is made.",
            autocompletion=things("world"),
        ),
    ] = "",
    cast: Annotated[
        list[str] | None,
        typer.Option(
            "--cast",
            "-c",
            metavar="NAME",
            help="Who is there; a name, or several with commas.",
            autocompletion=things("character"),
        ),
    ] = None,
    persona: Annotated[
        str,
        typer.Option(
            "--persona", "-p", metavar="NAME", help="Whom you speak as.", autocompletion=things("persona")
        ),
    ] = "",
    greeting: Annotated[
        bool, typer.Option("--greeting/--no-greeting", help="Begin with the opening of a card of the cast.")
    ] = True,
    set_: SetOption = None,
    json: JsonFlag = False,
) -> None:
    """Make a scene in an arc, or in a world.

    \b
      penwright scene create "Harbour at dusk" --world skerrow --cast Ann,Bob
      penwright scene create "The roof" --arc autumn --cast Ann --persona Mira \\
        --set scenario="The lamp is out." --set max_director_passes=1

    --set takes the scene's settings and its notes: description, scenario, location, time_of_day, plot, goals,
    author_note. `penwright scene state ID --set FIELD=VALUE` changes them later.
    """
    named = [name.strip() for each in cast or () for name in each.split(",") if name.strip()]
    wish = NewScene(
        title=title,
        arc=arc,
        world=world,
        cast=tuple(named),
        persona=persona,
        settings=pairs(set_),
        greeting=greeting,
    )
    done = creating.create(services_of(ctx), wish)
    scene = done.scene
    others = storing.namesakes(services_of(ctx), SCENE, scene)
    lines = [f"{scene.id}: {scene.title}, in {scene.arc}."]
    lines += [namesakes_line(others)] if others else []
    lines += [f"made for it: {', '.join(done.made)}"] if done.made else []
    if done.opened_by:
        lines.append(
            f"{done.opened_by} opens it; `penwright scene show {scene.id} --message 1` has the words."
        )
    if scene.roster:
        lines.append(f"next: `penwright scene say {scene.id} TEXT`, or `penwright scene play {scene.id}`")
    else:
        lines.append(f"next: `penwright scene cast {scene.id} --add NAME` gives it a character who can act")
    data = {"status": "created", "made": list(done.made), "opened_by": done.opened_by, "scene": scene.id}
    data["namesakes"] = list(others)
    Printer(json).result({**data, **scene.model_dump(mode="json", exclude={"id"})}, lines)


def remove(ctx: typer.Context, scene: SceneArgument, sure: SureFlag = False, json: JsonFlag = False) -> None:
    """Delete a scene with all that happened in it.

    \b
      penwright scene export harbour --to json --output harbour.json    # keep a copy first
      penwright scene remove harbour --yes
    """
    services = services_of(ctx)
    view = views.look(services, scene, newest=0, rounds=0).view
    found = view.located.scene
    check_id("scene", scene, found.id, sure=sure)
    copy = f"keep a copy with `penwright scene export {found.id} --to json`"
    confirm(f"Delete {found.title!r} with its {counted(found.rounds, 'round')}?", sure=sure, first=copy)
    gone = creating.remove(services, found.id)
    Printer(json).result({"status": "removed", "scene": gone.id}, f"{gone.id} is removed.")
