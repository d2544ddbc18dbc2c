"""Look at what people wrote: lists, and one thing with what is around it."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from gateway.desk.services import Services
from gateway.desk.worlds.finding import above, found
from gateway.desk.worlds.kinds import ARC, CAMPAIGN, CHARACTER, LOREBOOK, PERSONA, SCENE, WORLD, EntityKind
from penwright.ports.portions import Portion
from penwright.ports.scenes import Worlds
from schemas.lore import Attachment

_BELOW: dict[str, EntityKind[Any]] = {WORLD.word: CAMPAIGN, CAMPAIGN.word: ARC, ARC.word: SCENE}


@dataclass(frozen=True, slots=True)
class EntityLine:
    """One thing in a list."""

    thing: Any
    """Any: of the kind's type."""
    below: int = 0
    """Campaigns of a world, arcs of a campaign, scenes of an arc; places that a book is attached to."""


@dataclass(frozen=True, slots=True)
class Sight:
    """One thing with what is around it."""

    kind: EntityKind[Any]
    thing: Any
    below: tuple[Any, ...] = ()
    """Campaigns of a world, arcs of a campaign, scenes of an arc."""
    scenes: tuple[str, ...] = ()
    """Ids of scenes in which a character is present, or which are played as a persona."""
    overrides: tuple[str, ...] = ()
    """Levels at which a character is overridden, as ``world harbour``."""
    books: tuple[str, ...] = ()
    """Ids of lorebooks that are attached to it."""
    attached: tuple[Attachment, ...] = field(default=())
    """Of a lorebook."""


def listing(services: Services, kind: EntityKind[Any], *, below: str = "") -> tuple[EntityLine, ...]:
    """Return all of a kind, oldest first, or those of one world, campaign or arc (its id)."""
    with services.open_store() as store:
        things = store.worlds.list(kind.type, below=below)
        if kind.word == LOREBOOK.word:
            counts = Counter(store.worlds.places([each.id for each in things]))
        elif inner := _BELOW.get(kind.word):
            counts = Counter(above(each) for each in store.worlds.list(inner.type))
        else:
            counts = Counter()
    return tuple(EntityLine(each, counts[each.id]) for each in things)


def part(services: Services, kind: EntityKind[Any], portion: Portion) -> tuple[tuple[EntityLine, ...], int]:
    """Return a portion of a kind, and how many fit; other things of the kind are not read."""
    with services.open_store() as store:
        things, count = store.worlds.part(kind.type, portion)
        counts = Counter[str]()
        if kind.word == LOREBOOK.word:
            counts.update(store.worlds.places([each.id for each in things]))
        elif inner := _BELOW.get(kind.word):
            counts.update(store.worlds.counts(inner.type, [each.id for each in things]))
    return tuple(EntityLine(each, counts[each.id]) for each in things), count


def sight(services: Services, kind: EntityKind[Any], name: str, *, below: str = "") -> Sight:
    """Return one thing with what is around it; raises as ``found``."""
    with services.open_store() as store:
        return _sight(store.worlds, kind, found(store.worlds, kind, name, below=below))


def owner_id(services: Services, kind: EntityKind[Any], name: str | None) -> str:
    """Return the id of a world or campaign that a command names; empty if it names none."""
    if not name:
        return ""
    with services.open_store() as store:
        return str(found(store.worlds, kind, name).id)


def _sight(worlds: Worlds, kind: EntityKind[Any], thing: Any) -> Sight:
    if kind.word == LOREBOOK.word:
        return Sight(kind, thing, attached=worlds.attached(thing.id))
    scenes = worlds.list(SCENE.type) if kind.word in (CHARACTER.word, PERSONA.word) else ()
    inner = _BELOW.get(kind.word)
    return Sight(
        kind,
        thing,
        below=tuple(worlds.list(inner.type, below=thing.id)) if inner else (),
        scenes=tuple(each.id for each in scenes if thing.id in (each.persona, *each.roster)),
        overrides=tuple(
            f"{each.level} {each.at}"
            for each in (worlds.overrides(thing.id) if kind.word == CHARACTER.word else ())
        ),
        books=tuple(each.book for each in worlds.attachments([(kind.word, thing.id)])),
    )


def next_arc_position(services: Services, campaign: str) -> int:
    """The position after the last arc of a campaign, by its id."""
    return max((line.thing.position for line in listing(services, ARC, below=campaign)), default=-1) + 1
