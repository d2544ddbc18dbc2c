"""Things that scenes share: worlds, characters, personas and lorebooks, and a place for files of other
programs.

It changes in place.
"""

from functools import partial
from typing import Any, Final

from gateway.desk.works.subjects import WORLDS
from gateway.desk.worlds import views
from gateway.desk.worlds.kinds import CAMPAIGN, CHARACTER, LOREBOOK, PERSONA, WORLD, EntityKind
from gateway.desk.worlds.views import EntityLine
from gateway.ui import addresses
from gateway.ui.elements.cards import cards
from gateway.ui.elements.filters import filters
from gateway.ui.elements.html import box, link, text
from gateway.ui.frame import frame
from gateway.ui.live import live
from gateway.ui.pages.new_entity import MADE
from gateway.ui.parts.portion import portion_of, rest, search
from gateway.ui.parts.shared.drop import drop
from gateway.ui.visit import Visit
from penwright.domain.text.counted import counted
from penwright.ports.portions import Portion

# Any: kinds have no common type of their things.
KINDS: Final[dict[str, EntityKind[Any]]] = {
    each.plural: each for each in (CHARACTER, LOREBOOK, PERSONA, WORLD, CAMPAIGN)
}
_CREATE = {
    "characters": "penwright character create NAME",
    "lorebooks": "penwright lore create NAME",
    "personas": "penwright persona create NAME",
    "worlds": "penwright world create NAME",
    "campaigns": "penwright campaign create NAME --world WORLD",
}
"""The command that makes the first of a kind."""


async def page(visit: Visit) -> None:
    """``/worlds?kind=&named=&skip=``."""
    visit.require("read", WORLDS)
    named = visit.query.get("kind", "")
    kind = KINDS.get(named, CHARACTER)
    portion = portion_of(visit)
    read = partial(visit.ask, views.part, kind, portion)
    known = await live(visit, read, subject=None, mark=read)
    with frame("Worlds", here="/worlds") as made:
        await drop(visit, made)
        choices = {name: name.capitalize() for name in KINDS}
        filters("What is shown", "kind", choices, {"kind": kind.plural}, "worlds")
        if kind.plural in MADE:
            link(f"A new {kind.word}", addresses.page("worlds", kind.plural, "new"), classes="button")
        search(portion, known.value[1], "worlds", kind=kind.plural)
        known.part(lambda found: found, partial(_cards, kind, portion))
        known.follow(made)


def _cards(kind: EntityKind[Any], portion: Portion, found: tuple[tuple[EntityLine, ...], int]) -> None:
    lines, count = found
    if lines or not (count or portion.named):
        cards(
            lines,
            partial(_card, kind),
            missing="",
            none=f"There are no {kind.plural} yet.",
            command=_CREATE[kind.plural],
        )
    rest(portion, len(lines), count, "worlds", kind=kind.plural)


def _card(kind: EntityKind[Any], line: EntityLine) -> None:
    with box("li", classes="card"):
        with box("h2"):
            link(kind.name_of(line.thing), addresses.page("worlds", kind.plural, line.thing.id))
        description = getattr(line.thing, "description", "") or getattr(
            getattr(line.thing, "notes", None), "description", ""
        )
        text("p", description[:200] or "Nothing is written about it.", classes="" if description else "soft")
        if kind is LOREBOOK:
            # Lists of lorebooks come without their entries.
            places = counted(line.below, "place")
            text("p", f"active in {places}" if line.below else "active nowhere yet", classes="soft")
