"""Branches in the double: a branch gets copies of all that it shares."""

from dataclasses import replace
from typing import cast

from penwright.adapters.store.scenes.messages import message_id
from penwright.adapters.store.scenes.setting.naming import free
from penwright.domain.text.slugs import slug
from schemas.lore import Attachment
from schemas.scene import SceneState
from schemas.worlds import Scene
from tests.support.doubles.scenes.shelf import Played, Shelf


def can_branch(played: Played, after_round: int) -> bool:
    """Whether that round was played to its end, and stands; another take of one reply is none of the path."""
    if after_round == 0:
        return True
    if after_round in played.undone:
        return False
    found = [one for one in played.rounds if one.round.number == after_round and not one.regenerates]
    return bool(found) and found[0].round.status != "running"


def branch_off(shelf: Shelf, source: Scene, played: Played, title: str, round: int) -> str:
    """Make the new scene; returns its id."""
    scenes = shelf.things[Scene]
    id = free(slug(title, "scene"), scenes)
    places = [one.position for one in cast("list[Scene]", list(scenes.values())) if one.arc == source.arc]
    changes = {
        "id": id,
        "title": title,
        "version": 1,
        "position": max(places) + 1,
        "rounds": round,
        "branched_from": source.id,
        "branched_at": round,
        "coming": (),
        "going": (),
    }
    scenes[id] = source.model_copy(update=changes)
    shelf.played[id] = _copy(source.id, id, played, round)
    shelf.put_roster(id, shelf.played[id].state.roster, gone=True)
    for one in [one for one in shelf.attachments if (one.level, one.at) == ("scene", source.id)]:
        shelf.attachments.append(Attachment(book=one.book, level="scene", at=id))
    return id


def _copy(source: str, id: str, played: Played, round: int) -> Played:
    messages = [one for one in played.messages if one.round <= round]
    above = tuple((scene, min(to, round)) for scene, to in played.line)
    return Played(
        family=played.family,
        line=((source, round), *above),
        state=_state_after(played, round),
        known=set(played.known),
        messages=[one.model_copy(update={"id": message_id(id, one.number)}) for one in messages],
        rounds=[replace(one) for one in played.rounds if one.round.number <= round],
        undone={one for one in played.undone if one <= round},
        scene_with={one: kept for one, kept in played.scene_with.items() if one <= round},
        forgotten={one for one in played.forgotten if one <= round},
        stretches=[one for one in played.stretches if one.rounds[1] <= round],
    )


def _state_after(played: Played, round: int) -> SceneState:
    later = [one for one in played.rounds if one.round.number > round]
    visible = [one for one in later if one.round.number not in played.undone and not one.regenerates]
    return visible[0].round.before if visible else played.state
