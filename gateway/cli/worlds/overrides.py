"""``penwright character override``."""

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from gateway.cli.arguments import SureFlag
from gateway.cli.asking import confirm
from gateway.cli.context import services_of
from gateway.cli.output import JsonFlag, Printer
from gateway.cli.tables import block, table
from gateway.cli.worlds import editing
from gateway.cli.worlds.arguments import (
    BasedOnOption,
    CampaignOption,
    FromOption,
    SetOption,
    ThingArgument,
    WorldOption,
)
from gateway.desk.services import Services
from gateway.desk.worlds import overrides
from gateway.desk.worlds.kinds import CHARACTER
from gateway.desk.worlds.overrides import Layers
from schemas.worlds import Character


def override(
    ctx: typer.Context,
    character: ThingArgument,
    world: WorldOption = None,
    campaign: CampaignOption = None,
    edit: Annotated[bool, typer.Option("--edit", help="Edit it in your editor.")] = False,
    from_: FromOption = None,
    set_: SetOption = None,
    drop: Annotated[
        list[str] | None,
        typer.Option("--drop", metavar="FIELD", help="Say nothing of its own in a field; repeatable."),
    ] = None,
    remove: Annotated[bool, typer.Option("--remove", help="Remove the whole override.")] = False,
    based_on: BasedOnOption = None,
    yes: SureFlag = False,
    json: JsonFlag = False,
) -> None:
    """Show or change what a world or campaign says otherwise about a character.

    \b
      penwright character override mara --world harbour
      penwright character override mara --world harbour --set "goals=Leave the port."
      penwright character override mara --campaign fog --edit
      penwright character override mara --campaign fog --drop goals

    Without a change it shows the character as it is there, and where each field comes from: a campaign wins
    over its world, a world over the character. Lists and texts are replaced whole.
    """
    services = services_of(ctx)
    given = overrides.layers(services, character, world=world, campaign=campaign)
    if remove:
        _remove(services, Printer(json), given, sure=yes)
    elif drop:
        _dropped(Printer(json), given, overrides.drop(services, given, drop), "dropped")
    elif edit or from_ or set_:
        one = overrides.subject(services, given)
        editing.edit(services, one, from_, set_, based_on, sure=yes, json=json)
    else:
        _show(Printer(json), given)


def _remove(services: Services, out: Printer, given: Layers, *, sure: bool) -> None:
    level = given.level
    fields = ", ".join(given.own.fields) if given.own else ""
    if fields:
        question = f"Remove what the {level.name} {level.at} says about {given.base.id} ({fields})?"
        confirm(question, sure=sure, first="look at the same command without `--remove`")
    _dropped(out, given, overrides.remove(services, given), "removed")


def _dropped(out: Printer, given: Layers, gone: Sequence[str], status: str) -> None:
    level, id = given.level, given.base.id
    data = {"status": status if gone else "unchanged", "character": id, "level": level.name, "at": level.at}
    told = f"The {level.name} {level.at} no longer says its own {', '.join(gone)} of {id}."
    same = f"Nothing changed; the {level.name} {level.at} did not say these of {id}."
    out.result({**data, "fields": list(gone)}, told if gone else same)


def _show(out: Printer, given: Layers) -> None:
    result, level = given.merged, given.level
    values = CHARACTER.values(result.character)
    told = [(name, value) for name, value in values.items() if _says(name, value, given)]
    shown = [name for name, _ in told]
    lines = [f"{given.base.id} as the {level.name} {level.at} has it", ""]
    lines += table([("FIELD", "FROM"), *((name, _from(given, name)) for name in shown)])
    for name, value in told:
        lines += ["", name.replace("_", " "), *block(_text(value))]
    lines += ["", f"  next: `{overrides_command(given)} --set FIELD=VALUE`"]
    out.result(_data(given), lines)


def overrides_command(given: Layers) -> str:
    """The command that shows this very thing."""
    return f"penwright character override {given.base.id} --{given.level.name} {given.level.at}"


def _says(name: str, value: Any, given: Layers) -> bool:  # Any: JSON
    default = Character.model_fields[name].default
    return given.merged.levels.get(name, "base") != "base" or value not in ("", [], default)


def _from(given: Layers, name: str) -> str:
    places = {"world": f"world {given.level.world}", "campaign": f"campaign {given.level.at}"}
    return places.get(given.merged.levels.get(name, "base"), "the character")


def _text(value: Any) -> str:  # Any: JSON
    return "\n\n".join(map(str, value)) if isinstance(value, list) else str(value)


def _data(given: Layers) -> dict[str, Any]:  # Any: JSON
    result, own = given.merged, given.own
    return {
        "status": "shown",
        "level": given.level.name,
        "at": given.level.at,
        "version": own.version if own else 0,
        "fields": own.fields if own else {},
        "character": result.character.model_dump(mode="json"),
        "levels": result.levels,
    }
