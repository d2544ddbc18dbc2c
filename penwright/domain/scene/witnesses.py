"""Witnesses of what is said: only they may know or remember it."""

from schemas.scene import SceneState
from schemas.worlds import Persona


def witnesses(state: SceneState, speaker: str, persona: Persona | None) -> tuple[str, ...]:
    """Ids of all who are present now, with the one who speaks and the persona, each once.

    Args:
        speaker: id of the acting character; empty for narrator and user.
    """
    all_of = (*state.roster, speaker, persona.id if persona else "")
    return tuple(dict.fromkeys(each for each in all_of if each))
