"""One world, campaign, character, persona or lorebook: what is around it, and its fields.

It changes in place.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from gateway.desk.services import Services
from gateway.desk.works.subjects import WORLDS
from gateway.desk.worlds import lorebooks, permitted, storing, views
from gateway.desk.worlds.kinds import LOREBOOK, EntityKind
from gateway.desk.worlds.storing import Subject
from gateway.desk.worlds.views import Sight
from gateway.ui import addresses
from gateway.ui.elements.html import attribute, box, link, sentence, text
from gateway.ui.frame import frame
from gateway.ui.live import live
from gateway.ui.pages.worlds import KINDS
from gateway.ui.parts.plots.figures import facts
from gateway.ui.parts.shared.fields import fields
from gateway.ui.visit import Visit
from penwright.errors import NotFound
from schemas.lore import Lorebook

_MOST = 300
"""Entries in a list."""


# Any: kinds have no common type of their things.
@dataclass(frozen=True, slots=True)
class _Thing:
    sight: Sight
    subject: Subject[Any]
    namesakes: tuple[str, ...]
    entry: Subject[Any] | None
    """Of a lorebook: the one that the address names."""

    def entry_shown(self) -> Subject[Any]:
        assert self.entry is not None, "the page shows one"
        return self.entry


async def page(visit: Visit) -> None:
    """``/worlds/{kind}/{thing}``."""
    visit.require("read", WORLDS)
    kind, id = KINDS.get(visit.params["kind"]), visit.params["thing"]
    if kind is None:
        raise NotFound("no-such-page", f"there are no {visit.params['kind']!r} here")
    await visit.ask(permitted.entity, visit.principal, "read", kind, id)
    entry = visit.query.get("entry", "") if kind is LOREBOOK else ""
    known = await live(
        visit,
        partial(visit.ask, _read, kind, id, entry),
        subject=None,
        mark=partial(visit.ask, views.sight, kind, id),
    )
    crumbs = (
        ("Worlds", addresses.page("worlds")),
        (kind.plural.capitalize(), addresses.page("worlds", kind=kind.plural)),
    )
    with frame(kind.name_of(known.value.sight.thing), here="/worlds", crumbs=crumbs) as made:
        known.part(lambda now: now.sight, _around)
        known.part(
            lambda now: now.namesakes, lambda ids: _links("Others of this name", ids, "worlds", kind.plural)
        )
        text("h2", "What is written")
        read = partial(storing.subject, visit.services, kind, id)
        fields(visit, made, known, lambda now: now.subject, read, f"{kind.word}/{id}")
        if kind is LOREBOOK:
            known.part(lambda now: now.sight.thing, lambda book: _entries(book, entry))
        if known.value.entry:
            text("h2", f"Entry {known.value.entry.thing.title or entry}")
            read = partial(lorebooks.entry_subject, visit.services, id, entry)
            fields(visit, made, known, _Thing.entry_shown, read, f"lorebook/{id}/{entry}")
        known.follow(made)


def _read(services: Services, kind: EntityKind[Any], id: str, entry: str) -> _Thing:
    sight = views.sight(services, kind, id)
    one = lorebooks.entry_subject(services, id, entry) if entry else None
    named = storing.namesakes(services, kind, sight.thing)
    return _Thing(sight, storing.subject(services, kind, id), named, one)


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
        sentence(f"The first {_MOST} are shown; `penwright lore show {book.id}` has all.", classes="soft")
