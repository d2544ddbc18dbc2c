"""``penwright scene cast``: who is present."""

from typing import Annotated

import typer

from gateway.cli.context import services_of
from gateway.cli.output import JsonFlag, Printer
from gateway.cli.scene.arguments import SceneArgument
from gateway.cli.scene.reports import next_lines
from gateway.cli.worlds.tables import table
from gateway.desk.scene import casting


def cast(
    ctx: typer.Context,
    scene: SceneArgument,
    add: Annotated[
        list[str] | None, typer.Option("--add", metavar="NAME", help="Comes in; may be given several times.")
    ] = None,
    remove: Annotated[
        list[str] | None, typer.Option("--remove", metavar="NAME", help="Leaves; may come back.")
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Show who is present and who else may come, or have characters come and go.

    \b
      penwright scene cast harbour
      penwright scene cast harbour --add Cleo --remove Bob

    Within a round the director has characters come and go; who was in a scene once is known to it.
    """
    services, out = services_of(ctx), Printer(json)
    is_change = bool(add or remove)
    done = (
        casting.change(services, scene, add or (), remove or ())
        if is_change
        else casting.cast(services, scene)
    )
    rows = [(each.id, each.name, "present" if each.present else "") for each in done.cast]
    none = next_lines("penwright character create NAME")
    data = {"status": "changed" if is_change else "shown", "scene": done.scene.id}
    out.result({**data, "cast": [each.model_dump() for each in done.cast]}, table(rows) if rows else none)
