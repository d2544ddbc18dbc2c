"""``penwright scene state``: states of people, facts, trackers, and the scene's settings."""

from typing import Annotated

import typer

from gateway.cli.context import services_of
from gateway.cli.output import JsonFlag, Printer
from gateway.cli.scene import reports
from gateway.cli.scene.arguments import RoundOption, SceneArgument, SetOption, pairs
from gateway.cli.wrapping import wrapped
from gateway.desk.scene import changes, creating, finding, views
from gateway.desk.services import Services
from schemas.director import StateChange
from schemas.worlds import Scene


def state(
    ctx: typer.Context,
    scene: SceneArgument,
    who: Annotated[
        str, typer.Option("--who", metavar="NAME", help="A character, the persona, `world` or `tracker`.")
    ] = "",
    set_: SetOption = None,
    reinstate: Annotated[
        str, typer.Option("--reinstate", metavar="FIELD", help="Bring an overruled value back; with --who.")
    ] = "",
    round_: RoundOption = 0,
    json: JsonFlag = False,
) -> None:
    """Show or set states, facts, trackers and settings.

    \b
      penwright scene state harbour
      penwright scene state harbour --who Ann --set mood=wary --set location=roof
      penwright scene state harbour --who tracker --set weather=fog
      penwright scene state harbour --who Ann --reinstate mood
      penwright scene state harbour --set max_director_passes=3

    --set without --who sets a setting or note of the scene. A value that a later source of a round overruled
    is in `scene show --round N`; --reinstate makes it a change of yours.
    """
    services, out, values = services_of(ctx), Printer(json), pairs(set_)
    if reinstate:
        _print_changes(services, out, *changes.reinstate(services, scene, who, reinstate, round_))
    elif who and values:
        _print_changes(services, out, *changes.set_state(services, scene, who, values))
    elif values:
        _print_settings(out, creating.change_settings(services, scene, values))
    else:
        _print_state(services, out, scene, who)


def _print_state(services: Services, out: Printer, scene: str, who: str) -> None:
    found, now, names = views.state(services, scene)
    if who:
        with services.open_store() as store:
            subject = finding.subject(store, found, who)
        kept = tuple(each for each in now.characters if each.id == subject)
        left_out = {"world": ("trackers",), "tracker": ("world",)}.get(subject, ("world", "trackers"))
        now = now.model_copy(update={"characters": kept, **{name: {} for name in left_out}})
    data = {
        "scene": found.id,
        "state": now.model_dump(mode="json"),
        "settings": found.settings.model_dump(mode="json"),
    }
    lines = reports.state_lines(now, names)
    none = f"nothing is set yet; `penwright scene state {found.id} --who NAME --set mood=VALUE` sets it"
    out.result({"status": "shown", **data}, lines or wrapped("", none))


def _print_changes(services: Services, out: Printer, scene: Scene, changed: tuple[StateChange, ...]) -> None:
    _, _, names = views.state(services, scene.id)
    data = {"scene": scene.id, "changes": [each.model_dump(mode="json") for each in changed]}
    lines = [line for each in changed for line in reports.change_lines(each, names)]
    out.result({"status": "changed", **data}, lines or ["Nothing changed."])


def _print_settings(out: Printer, scene: Scene) -> None:
    told = {**scene.settings.model_dump(mode="json"), **scene.notes.model_dump()}
    lines = [f"{scene.id} is set; the next round plays by it."]
    out.result({"status": "set", "scene": scene.id, "version": scene.version, "settings": told}, lines)
