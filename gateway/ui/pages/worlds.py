"""What scenes share: worlds, characters, personas and lorebooks, and a place for files of other programs."""

from functools import partial
from typing import Any, Final

from gateway.desk.works.subjects import WORLDS
from gateway.desk.worlds import looking
from gateway.desk.worlds.kinds import CAMPAIGN, CHARACTER, LOREBOOK, PERSONA, WORLD, Kind
from gateway.desk.worlds.looking import Line
from gateway.ui import addresses
from gateway.ui.frame import frame
from gateway.ui.live import live
from gateway.ui.pages.making import MADE
from gateway.ui.parts.cards import cards
from gateway.ui.parts.filters import filters
from gateway.ui.parts.html import box, link, text
from gateway.ui.parts.shared.drop import drop
from gateway.ui.visit import Visit

# Any: kinds have no common type of their things.
KINDS: Final[dict[str, Kind[Any]]] = {
    each.plural: each for each in (CHARACTER, LOREBOOK, PERSONA, WORLD, CAMPAIGN)
}


async def page(visit: Visit) -> None:
    """``/worlds?kind=``."""
    visit.require("read", WORLDS)
    named = visit.query.get("kind", "")
    kind = KINDS.get(named, CHARACTER)
    known = await live(visit, partial(visit.ask, looking.listing, kind), subject=WORLDS)
    with frame("Worlds", here="/worlds") as made:
        drop(made)
        choices = {name: name.capitalize() for name in KINDS}
        filters("What is shown", "kind", choices, {"kind": kind.plural}, "worlds")
        if kind.plural in MADE:
            link(f"A new {kind.word}", addresses.page("worlds", kind.plural, "new"), classes="button")
        known.part(lambda lines: lines, partial(_cards, kind))
        known.follow(made)


def _cards(kind: Kind[Any], lines: tuple[Line, ...]) -> None:
    cards(
        lines,
        partial(_card, kind),
        missing="",
        none=f"There are no {kind.plural} yet.",
        command=f"penwright {'lore' if kind is LOREBOOK else kind.word} create NAME",
    )


def _card(kind: Kind[Any], line: Line) -> None:
    with box("li", classes="card"):
        with box("h2"):
            link(kind.name_of(line.thing), addresses.page("worlds", kind.plural, line.thing.id))
        description = getattr(line.thing, "description", "") or getattr(
            getattr(line.thing, "notes", None), "description", ""
        )
        text("p", description[:200] or "Nothing is written about it.", classes="" if description else "soft")
        if kind is LOREBOOK:
            # Lists of lorebooks come without their entries.
            places = "1 place" if line.below == 1 else f"{line.below} places"
            text("p", f"active in {places}" if line.below else "active nowhere yet", classes="soft")
