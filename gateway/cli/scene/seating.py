"""People at one table: ``penwright scene invite``, ``seats`` and ``take-away``."""

from typing import Annotated

import typer

from gateway.cli.context import services_of
from gateway.cli.live import busy
from gateway.cli.output import JsonFlag, Printer
from gateway.cli.scene.arguments import SceneArgument, WhoArgument
from gateway.cli.tables import table
from gateway.cli.times import minute
from gateway.desk.scene.table import seats as desk
from gateway.desk.scene.table.seats import SeatShown
from gateway.desk.works.schedules import duration


def invite(
    ctx: typer.Context,
    scene: SceneArgument,
    who: Annotated[str, typer.Option("--as", metavar="NAME", help="The character that the person plays.")],
    lasts: Annotated[
        str, typer.Option("--for", metavar="TIME", help="For how long, such as 7d or 2h.")
    ] = f"{desk.VALID.days}d",
    json: JsonFlag = False,
) -> None:
    """Invite a person to play a character; prints the link, which is shown once.

    \b
      penwright scene invite harbour --as "Nora Hale"
      penwright scene invite harbour --as "Nora Hale" --for 2h

    Whoever has the link sees the scene as that character witnessed it, and nothing else; no model plays the
    character meanwhile. `penwright scene take-away` ends it.
    """
    services, out = services_of(ctx), Printer(json)
    length = duration("--for", lasts)
    address = services.web_address(lambda: busy("waiting for the workspace to start", quiet=json, told=True))
    made = desk.invite(services, scene, who, length)
    link = f"{address}{made.path}"
    data = desk.shown(made.seat, services)
    out.result({"status": "invited", "scene": made.scene.id, "link": link, **_told(data)}, link)
    out.note(f"{made.seat.name} until {minute(made.seat.expires_at)}; the link is not shown again")
    if not made.is_in:
        add = f"`penwright scene cast {made.scene.id} --add {made.seat.character}` brings the character in"
        out.note(f"{made.seat.name} is not in the scene, so the person sees nobody yet; {add}")


def seats(ctx: typer.Context, scene: SceneArgument, json: JsonFlag = False) -> None:
    """List who was invited, who is at the table, and which seats are over.

    \b
      penwright scene seats harbour
    """
    found = desk.seats(services_of(ctx), scene)
    lines = table(map(_cells, found)) if found else ["nobody was invited"]
    Printer(json).result({"seats": [_told(each) for each in found]}, lines)


def take_away(ctx: typer.Context, scene: SceneArgument, who: WhoArgument, json: JsonFlag = False) -> None:
    """End a seat at once: its link opens nothing, and the model plays again.

    \b
      penwright scene take-away harbour "Nora Hale"
    """
    ended = desk.take_away(services_of(ctx), scene, who)
    Printer(json).result({"status": "taken-away", **_told(ended)}, f"{ended.name} is the model's again")


def _told(seat: SeatShown) -> dict[str, object]:
    return {
        "character": seat.character,
        "name": seat.name,
        "since": seat.since.isoformat(),
        "expires_at": seat.expires_at.isoformat(),
        "seen_at": seat.seen_at.isoformat() if seat.seen_at else None,
        "present": seat.present,
        "over": seat.over,
    }


def _cells(seat: SeatShown) -> tuple[str, ...]:
    seen = f"seen {minute(seat.seen_at)}" if seat.seen_at else "not seen yet"
    stands = seat.over or ("at the table" if seat.present else "away")
    return seat.character, seat.name, stands.replace("-", " "), f"until {minute(seat.expires_at)}", seen
