"""One world, campaign, character, persona or lorebook: what is around it, and its fields."""

from collections.abc import Sequence
from functools import partial

from gateway.desk.works.subjects import WORLDS
from gateway.desk.worlds import keeping, looking, lorebooks, permitted
from gateway.desk.worlds.kinds import LOREBOOK
from gateway.desk.worlds.looking import Sight
from gateway.ui import addresses
from gateway.ui.frame import frame
from gateway.ui.pages.worlds import KINDS
from gateway.ui.parts.html import attribute, box, link, text
from gateway.ui.parts.plots.figures import facts
from gateway.ui.parts.shared.fields import fields
from gateway.ui.visit import Visit
from penwright.errors import NotFound
from schemas.lore import Lorebook

_MOST = 300
"""Entries in a list."""


async def page(visit: Visit) -> None:
    """``/worlds/{kind}/{thing}``."""
    visit.require("read", WORLDS)
    kind, id = KINDS.get(visit.params["kind"]), visit.params["thing"]
    if kind is None:
        raise NotFound("no-such-page", f"there are no {visit.params['kind']!r} here")
    await visit.ask(permitted.thing, visit.principal, "read", kind, id)
    sight = await visit.ask(looking.sight, kind, id)
    subject = await visit.ask(keeping.subject, kind, id)
    namesakes = await visit.ask(keeping.namesakes, kind, sight.thing)
    crumbs = (
        ("Worlds", addresses.page("worlds")),
        (kind.plural.capitalize(), addresses.page("worlds", kind=kind.plural)),
    )
    with frame(kind.name_of(sight.thing), here="/worlds", crumbs=crumbs) as made:
        _around(sight)
        _links("Others of this name", namesakes, "worlds", kind.plural)
        text("h2", "What is written")
        fields(visit, made, partial(keeping.subject, visit.services, kind, id), subject, f"{kind.word}/{id}")
        if kind is LOREBOOK:
            entry = visit.query.get("entry", "")
            _entries(sight.thing, entry)
            if entry:
                one = await visit.ask(lorebooks.entry_subject, id, entry)
                text("h2", f"Entry {one.thing.title or entry}")
                again = partial(lorebooks.entry_subject, visit.services, id, entry)
                fields(visit, made, again, one, f"lorebook/{id}/{entry}")


def _around(sight: Sight) -> None:
    facts(
        {
            "Id": sight.thing.id,
            "In it": ", ".join(each.id for each in sight.below),
            "Overrides": ", ".join(sight.overrides),
            "Active in": ", ".join(f"{each.level} {each.at}" for each in sight.attached),
        }
    )
    _links("Scenes", sight.scenes, "scenes")
    _links("Lorebooks", sight.books, "worlds", "lorebooks")


def _links(called: str, ids: Sequence[str], *folder: str) -> None:
    """Links to things, by their ids; nothing without one."""
    if ids:
        with box("p"):
            text("span", f"{called}: ", classes="soft")
            for each in ids:
                link(each, addresses.page(*folder, each))
                text("span", " ")


def _entries(book: Lorebook, chosen: str) -> None:
    text("h2", f"Entries ({len(book.entries)})")
    with box("ul", classes="entries"):
        for each in book.entries[:_MOST]:
            keys = ", ".join(each.keys) or ("always" if each.constant else "no key")
            with box("li"):
                place = link(
                    each.title or each.uid, addresses.page("worlds", "lorebooks", book.id, entry=each.uid)
                )
                if each.uid == chosen:
                    attribute(place, "aria-current", "true")
                text("span", f" {keys}{'' if each.enabled else ', switched off'}", classes="soft")
    if len(book.entries) > _MOST:
        text("p", f"The first {_MOST} are shown; `penwright lore show {book.id}` has all.", classes="soft")
