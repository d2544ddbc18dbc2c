"""Remove a thing with all that is below it, and say first what that is."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from gateway.desk.services import Services
from gateway.desk.worlds.finding import found
from gateway.desk.worlds.kinds import ARC, CAMPAIGN, CHARACTER, LOREBOOK, PERSONA, SCENE, WORLD, EntityKind
from penwright.errors import NotFound, Refused
from penwright.ports.scenes import Worlds
from schemas.worlds import Scene

_BELOW: dict[str, EntityKind[Any]] = {WORLD.word: CAMPAIGN, CAMPAIGN.word: ARC, ARC.word: SCENE}


@dataclass(frozen=True, slots=True)
class Belongings:
    """Ids of what is removed together with a thing."""

    campaigns: tuple[str, ...] = ()
    arcs: tuple[str, ...] = ()
    scenes: tuple[str, ...] = ()
    rounds: int = 0
    """Rounds that were played in these scenes, with their messages."""
    overrides: tuple[str, ...] = ()
    """As ``<character>@<world or campaign>``."""
    attachments: tuple[str, ...] = ()
    """As ``<lorebook>@<what it is attached to>``; the books themselves stay."""
    entries: int = 0
    """Of a lorebook."""
    present_in: tuple[str, ...] = ()
    """Scenes in which a character is present, or whose persona it is; they stay."""


@dataclass(frozen=True, slots=True)
class Removal:
    """A thing that may be removed, and what goes with it."""

    kind: EntityKind[Any]
    thing: Any
    """Any: of the kind's type."""
    goes: Belongings


def removal(services: Services, kind: EntityKind[Any], name: str, *, below: str = "") -> Removal:
    """Say what removing a thing would remove; raises as ``found``, and changes nothing."""
    with services.open_store() as store:
        thing = found(store.worlds, kind, name, below=below)
        return Removal(kind, thing, _belongings(store.worlds, kind, thing))


def remove(services: Services, wanted: Removal, scenes: Sequence[str] = ()) -> None:
    """Remove what ``removal`` has shown.

    Args:
        scenes: those that a character may be taken out of.

    Raises:
        Refused: ``in-scenes``: the character is in other scenes too; ``in-use``: a round runs.
        NotFound: it was removed meanwhile.
    """
    with services.open_store() as store, store.together():
        _check_presence(store.worlds, wanted, scenes)
        if wanted.kind.word == CHARACTER.word:
            _give_back(store.worlds, wanted.thing.id)
        if not store.worlds.remove(wanted.kind.type, wanted.thing.id):
            word = wanted.kind.word
            raise NotFound(f"no-such-{word}", f"the {word} {wanted.thing.id!r} was removed meanwhile")


def _give_back(worlds: Worlds, character: str) -> None:
    """End that a person plays it: a character that gets its id later is the model's."""
    for scene in worlds.list(Scene):
        if character in scene.taken:
            left = tuple(each for each in scene.taken if each != character)
            worlds.change(scene.model_copy(update={"taken": left}))


def check_presence(services: Services, wanted: Removal, scenes: Sequence[str]) -> None:
    """Raise ``Refused`` (``in-scenes``) if a character is now in a scene that is not named."""
    with services.open_store() as store:
        _check_presence(store.worlds, wanted, scenes)


def _check_presence(worlds: Worlds, wanted: Removal, scenes: Sequence[str]) -> None:
    if wanted.kind.word != CHARACTER.word:
        return
    named = {found(worlds, SCENE, name).id for name in scenes}
    if left := [id for id in _present_in(worlds, wanted.thing.id) if id not in named]:
        id, every = wanted.thing.id, " ".join(f"--scene {each}" for each in left)
        raise Refused(
            "in-scenes",
            f"the character {id!r} is in {len(left)} scene{'s' * (len(left) > 1)}: {', '.join(left)}; "
            "nothing was removed",
            hint=f"to take it out of them and remove it: `penwright character remove {id} {every} --yes`",
            scenes=",".join(left),
        )


def _belongings(worlds: Worlds, kind: EntityKind[Any], thing: Any) -> Belongings:
    if kind.word == CHARACTER.word:
        return _of_character(worlds, thing.id)
    if kind.word == PERSONA.word:
        played = [scene.id for scene in worlds.list(Scene) if scene.persona == thing.id]
        return Belongings(present_in=tuple(played))
    if kind.word == LOREBOOK.word:
        attached = [f"{each.book}@{each.at}" for each in worlds.attached(thing.id)]
        return Belongings(attachments=tuple(attached), entries=len(thing.entries))
    return _of_level(worlds, kind, thing)


def _of_character(worlds: Worlds, id: str) -> Belongings:
    return Belongings(
        overrides=tuple(f"{id}@{each.at}" for each in worlds.overrides(id)),
        attachments=tuple(f"{each.book}@{id}" for each in worlds.attachments([("character", id)])),
        present_in=_present_in(worlds, id),
    )


def _present_in(worlds: Worlds, character: str) -> tuple[str, ...]:
    return tuple(scene.id for scene in worlds.list(Scene) if character in scene.roster)


def _of_level(worlds: Worlds, kind: EntityKind[Any], thing: Any) -> Belongings:
    levels: dict[str, list[Any]] = {kind.word: [thing]}
    word = kind.word
    while below := _BELOW.get(word):
        levels[below.word] = [each for one in levels[word] for each in worlds.list(below.type, below=one.id)]
        word = below.word
    at = [(level, each.id) for level, things in levels.items() for each in things]
    places = {id for level, id in at if level in ("world", "campaign")}
    del levels[kind.word]
    ids = {level: tuple(each.id for each in things) for level, things in levels.items()}
    return Belongings(
        campaigns=ids.get("campaign", ()),
        arcs=ids.get("arc", ()),
        scenes=ids.get("scene", ()),
        rounds=sum(scene.rounds for scene in levels.get("scene", [])),
        overrides=tuple(_overrides(worlds, places)),
        attachments=tuple(f"{each.book}@{each.at}" for each in worlds.attachments(at)),
    )


def _overrides(worlds: Worlds, places: set[str]) -> list[str]:
    return [
        f"{each.character}@{each.at}"
        for character in worlds.list(CHARACTER.type)
        for each in worlds.overrides(character.id)
        if each.at in places
    ]
