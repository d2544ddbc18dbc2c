"""Deleting things in the double."""

from typing import cast

from penwright.adapters.store.scenes.setting.kinds import KINDS
from schemas.base import Value
from schemas.lore import Lorebook
from schemas.worlds import Arc, Campaign, Character, Persona, Scene, World
from tests.support.doubles.scenes.shelf import Shelf

_BELOW: dict[type[Value], tuple[type[Value], str]] = {
    World: (Campaign, "world"),
    Campaign: (Arc, "campaign"),
    Arc: (Scene, "arc"),
}


def delete(shelf: Shelf, kind: type[Value], id: str) -> None:
    """Delete a thing with all that is below it, and all that names it."""
    below = _BELOW.get(kind)
    if below is not None:
        child, column = below
        for one in list(shelf.things[child].values()):
            if getattr(one, column) == id:
                delete(shelf, child, cast(Scene, one).id)
    if kind is Scene:
        _adopt_branches(shelf, cast(Scene, shelf.things[Scene][id]))
    del shelf.things[kind][id]
    _forget(shelf, kind, id)


def _forget(shelf: Shelf, kind: type[Value], id: str) -> None:
    """Delete what names the thing."""
    word = KINDS[kind].word
    shelf.overrides = {
        key: one
        for key, one in shelf.overrides.items()
        if (word, id) not in (("character", one.character), (one.level, one.at))
    }
    shelf.attachments = [
        one
        for one in shelf.attachments
        if (one.level, one.at) != (word, id) and not (kind is Lorebook and one.book == id)
    ]
    gone = {World: "world", Scene: "scene", Character: "character"}.get(kind)
    if gone is not None:
        shelf.memories = {key: one for key, one in shelf.memories.items() if getattr(one, gone) != id}
    if kind in (Scene, Character):
        shelf.seats = {key: one for key, one in shelf.seats.items() if id != getattr(one, word)}
    if kind is Persona:
        _forget_persona(shelf, id)
    if kind is Character:
        _forget_character(shelf, id)
    if kind is Scene:
        _forget_scene(shelf, id)


def _forget_persona(shelf: Shelf, id: str) -> None:
    scenes = shelf.things[Scene]
    for one in cast("list[Scene]", list(scenes.values())):
        if one.persona == id:
            scenes[one.id] = one.model_copy(update={"persona": ""})


def _forget_character(shelf: Shelf, id: str) -> None:
    for played in shelf.played.values():
        played.known.discard(id)
        roster = tuple(one for one in played.state.roster if one != id)
        played.state = played.state.model_copy(update={"roster": roster})


def _forget_scene(shelf: Shelf, id: str) -> None:
    shelf.played.pop(id)
    shelf.withdraw(f"scene/{id}")
    shelf.changes = [one for one in shelf.changes if one.scene != id]
    for played in shelf.played.values():
        played.line = tuple(one for one in played.line if one[0] != id)


def _adopt_branches(shelf: Shelf, origin: Scene) -> None:
    """Give branches the memories that they share, and the origin's own origin."""
    scenes = shelf.things[Scene]
    for one in cast("list[Scene]", list(scenes.values())):
        if one.branched_from == origin.id:
            at = min(one.branched_at, origin.branched_at)
            changes = {"branched_from": origin.branched_from, "branched_at": at}
            scenes[one.id] = one.model_copy(update=changes)
            for memory in list(shelf.memories.values()):
                if memory.scene == origin.id and memory.round <= one.branched_at:
                    id = f"{memory.id}@{one.id}"
                    shelf.memories[id] = memory.model_copy(update={"id": id, "scene": one.id})
                    if memory.id in shelf.vectors:
                        shelf.vectors[id] = shelf.vectors[memory.id]
