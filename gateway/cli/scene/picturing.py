"""``penwright scene picture`` and ``pictures``."""

import asyncio
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from gateway.cli.context import services_of
from gateway.cli.live import Waiter
from gateway.cli.output import JsonFlag, Printer
from gateway.cli.scene.arguments import SceneArgument
from gateway.cli.standard_output import placed
from gateway.cli.worlds.arguments import ForceFlag
from gateway.cli.wrapping import wrapped
from gateway.desk.scene import picturing
from gateway.desk.written_files import check_place, write_file
from penwright.domain.models.choice import SET_IMAGES
from penwright.domain.scene.pictures import SUFFIXES
from penwright.errors import UsageMistake
from schemas.worlds import Picture

OfOption = Annotated[str, typer.Option("--of", metavar="NAME", help="A character. Default: the scene.")]


def picture(
    ctx: typer.Context,
    scene: SceneArgument,
    wish: Annotated[str, typer.Argument(metavar="[WISH]", help="What is to be seen. Default: now.")] = "",
    of: OfOption = "",
    paint: Annotated[
        bool | None,
        typer.Option("--paint/--prompt-only", help="Default: paint, if a model for images is set."),
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Have a picture of this moment described, and painted by a model for images.

    \b
      penwright scene picture harbour
      penwright scene picture harbour "From the sea, at low tide." --prompt-only
      penwright scene picture harbour --of "Ann Quist" --paint

    The picture is kept with the scene, or with the character. `[roles] images` names the model that paints.
    """
    wait = Waiter("the run goes on; `penwright run list` shows it", quiet=json)
    asked = picturing.picture(services_of(ctx), scene, wish, wait, of=of, paint=paint)
    made = asyncio.run(asked)
    told, drawn = made.described.delivered, made.picture
    data = {
        "status": "painted" if drawn else "described",
        made.kind.word: made.id,
        **told.model_dump(mode="json", include={"prompt", "avoid", "caption", "demo"}),
        "picture": drawn.model_dump(mode="json") if drawn else None,
        "number": made.number or None,
        "run_id": made.described.run_id,
        "cost_micros": made.cost_micros,
        "unknown_prices": made.unknown_prices,
    }
    lines = [*wrapped("", told.prompt)]
    lines += wrapped("not in it: ", told.avoid) if told.avoid else []
    lines += wrapped("caption: ", told.caption) if told.caption else []
    if drawn is not None:
        of_whom = f' --of "{made.id}"' if of else ""
        lines.append(f"Picture {made.number} of the {made.kind.word} {made.id}, by {drawn.model}.")
        lines.append(f"next: `penwright scene pictures {scene} {made.number}{of_whom} --output FILE`")
    elif paint is None:
        lines += wrapped("", f"No model for images is set: {SET_IMAGES}.")
    Printer(json).result(data, lines)


def pictures(
    ctx: typer.Context,
    scene: SceneArgument,
    number: Annotated[int | None, typer.Argument(metavar="[N]", min=1, help="One of them.")] = None,
    of: OfOption = "",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write the picture there.")
    ] = None,
    force: ForceFlag = False,
    remove: Annotated[int | None, typer.Option("--remove", metavar="N", min=1, help="Take it away.")] = None,
    json: JsonFlag = False,
) -> None:
    """List the pictures of a scene or character, save one, or take one away.

    \b
      penwright scene pictures harbour
      penwright scene pictures harbour 1 --output quay.png
      penwright scene pictures harbour --of "Ann Quist" --remove 2
    """
    services, out = services_of(ctx), Printer(json)
    if remove is not None:
        gone = picturing.remove(services, scene, remove, of=of)
        data = {"status": "removed", "number": remove, **gone.model_dump(mode="json")}
        out.result(data, [f"Picture {remove} is taken away."])
    elif (number is None) != (output is None):
        raise UsageMistake(
            "no-picture-named", "a number and a file belong together", hint="write `N --output FILE`"
        )
    elif number is not None and output is not None:
        _write(out, picturing.content(services, scene, number, of=of), output, force)
    else:
        _list(out, scene, picturing.pictures(services, scene, of=of))


def _list(out: Printer, scene: str, found: Sequence[Picture]) -> None:
    rows = [{"number": at, **each.model_dump(mode="json")} for at, each in enumerate(found, 1)]
    lines = [
        line
        for at, each in enumerate(found, 1)
        for line in wrapped(f"{at:>3}  ", f"{each.caption or each.prompt} ({each.kind}, {each.model})")
    ]
    none = [f"No pictures; `penwright scene picture {shlex.quote(scene)}` has one painted."]
    out.result({"pictures": rows}, lines or none)


def _write(out: Printer, found: tuple[Picture, bytes], place: Path, force: bool) -> None:
    drawn, content = found
    with placed(place, out) as file:
        assert file is not None, "it is named"
        check_place(file, force=force, suffix=SUFFIXES.get(drawn.kind, ""))
        write_file(file, content, force=force)
        data = {"status": "written", "path": str(file), "kind": drawn.kind, "size": len(content)}
        out.result(data, f"{file}: {len(content):,} bytes, {drawn.kind}")
