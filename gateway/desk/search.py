"""Finding works, scenes, people and lore by a few letters of their names, for a palette."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, get_args

from gateway.desk.principals import Principal, require, sees
from gateway.desk.services import CommandStore, Services
from gateway.desk.works.subjects import WORLDS
from gateway.desk.worlds.kinds import ARC, CAMPAIGN, CHARACTER, LOREBOOK, PERSONA, SCENE, WORLD, EntityKind

HitKind = Literal["book", "novel", "scene", "world", "campaign", "arc", "character", "persona", "lorebook"]

KINDS: tuple[HitKind, ...] = get_args(HitKind)
# Any: kinds have no common type of their things.
_SHARED: tuple[EntityKind[Any], ...] = (WORLD, CAMPAIGN, ARC, CHARACTER, PERSONA, LOREBOOK)


@dataclass(frozen=True, slots=True)
class Hit:
    """One thing that was found."""

    kind: HitKind
    id: str
    name: str


def search(
    services: Services, principal: Principal, words: str, kinds: tuple[HitKind, ...] = (), *, limit: int = 20
) -> tuple[Hit, ...]:
    """Find what the caller may see and has every word in its name or id, compared without case.

    Names that begin with the words come first, then those in which a word begins so.

    Args:
        kinds: only these; empty means all.
    """
    require(principal, "read")
    wanted = words.casefold().split()
    with services.open_store() as store:
        found = [
            hit
            for hit in _all(store, principal)
            if (not kinds or hit.kind in kinds) and all(word in _text(hit) for word in wanted)
        ]
    found.sort(key=lambda hit: (_rank(hit, " ".join(wanted)), hit.name.casefold(), hit.id))
    return tuple(found[:limit])


def _all(store: CommandStore, principal: Principal) -> Iterator[Hit]:
    for row in (*store.records.books(), *store.records.books("novel")):
        if sees(principal, f"{row.kind}/{row.book_id}"):
            yield Hit(row.kind, row.book_id, row.title)
    for scene in store.worlds.list(SCENE.type):
        if sees(principal, f"scene/{scene.id}"):
            yield Hit("scene", scene.id, scene.title)
    if sees(principal, WORLDS):
        for kind in _SHARED:
            named = (
                Hit(_kind(kind.word), each.id, kind.name_of(each)) for each in store.worlds.list(kind.type)
            )
            yield from named


def _kind(word: str) -> HitKind:
    return next(each for each in KINDS if each == word)


def _text(hit: Hit) -> str:
    return f"{hit.name} {hit.id}".casefold()


def _rank(hit: Hit, words: str) -> int:
    text = _text(hit)
    return 0 if text.startswith(words) else 1 if f" {words}" in text else 2
