"""Presence in a scene, and the three flags of a round: entered, exited, acted."""

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from schemas.director import CastMember
from schemas.scene import CharacterState, SceneState
from schemas.worlds import Scene


def of(state: SceneState, character: str) -> CharacterState:
    """The state of one character; an empty one if nothing is known yet."""
    return next((each for each in state.characters if each.id == character), CharacterState(id=character))


# Any: values of any field of a character's state.
def changed(state: SceneState, character: str, **fields: Any) -> SceneState:
    """The state with some fields of one character set; a new character stands after the others."""
    new = of(state, character).model_copy(update=fields)
    if any(each.id == character for each in state.characters):
        characters = tuple(new if each.id == character else each for each in state.characters)
    else:
        characters = (*state.characters, new)
    return state.model_copy(update={"characters": characters})


def begun(state: SceneState) -> SceneState:
    """A round begins: the flags of the last one are taken from everyone, also from those who left."""
    fresh = {"entered": False, "exited": False, "acted": False}
    characters = tuple(each.model_copy(update=fresh) for each in state.characters)
    return state.model_copy(update={"characters": characters})


def entered(state: SceneState, characters: Iterable[str]) -> SceneState:
    """Those who are not present come in, in this order."""
    for character in characters:
        if character not in state.roster:
            state = changed(state, character, entered=True)
            state = state.model_copy(update={"roster": (*state.roster, character)})
    return state


def left(state: SceneState, characters: Iterable[str]) -> SceneState:
    """Those who are present go; the last one may, too."""
    for character in characters:
        if character in state.roster:
            state = changed(state, character, exited=True)
            roster = tuple(each for each in state.roster if each != character)
            state = state.model_copy(update={"roster": roster})
    return state


def kept_for_the_end(scene: Scene, present: Sequence[str]) -> Scene:
    """A scene whose roster a person changed while a round runs: the change is kept for the round's end.

    Args:
        present: ids of those who are present now.
    """
    come = (each for each in scene.roster if each not in present)
    go = (each for each in present if each not in scene.roster)
    coming, going = (dict.fromkeys(each) for each in ((*scene.coming, *come), (*scene.going, *go)))
    return scene.model_copy(update={"coming": (*coming,), "going": (*going,), "roster": (*present,)})


def recast(state: SceneState, coming: Iterable[str], going: Collection[str]) -> SceneState:
    """The state with those who come, and without those who go."""
    roster = dict.fromkeys(each for each in (*state.roster, *coming) if each not in going)
    return state.model_copy(update={"roster": (*roster,)})


def acted(state: SceneState, character: str) -> SceneState:
    """A character has spoken in this round."""
    return changed(state, character, acted=True)


def has_acted(state: SceneState, character: str) -> bool:
    """Whether a character has spoken in this round."""
    return of(state, character).acted


def without_presence(cast: Sequence[CastMember]) -> tuple[CastMember, ...]:
    """The cast as if it were not known who is present."""
    return tuple(each.model_copy(update={"present": False}) for each in cast)


def cast_now(cast: Sequence[CastMember], state: SceneState) -> tuple[CastMember, ...]:
    """The cast with who is present now."""
    return tuple(each.model_copy(update={"present": each.id in state.roster}) for each in cast)
