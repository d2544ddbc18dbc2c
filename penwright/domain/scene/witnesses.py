"""Witnesses of what is said: only they may know or remember it."""

from schemas.scene import SceneMessage, SceneState
from schemas.worlds import Persona


def witnesses(state: SceneState, speaker: str, persona: Persona | None) -> tuple[str, ...]:
    """Ids of all who are present now, with the one who speaks and the persona, each once.

    Args:
        speaker: id of the acting character; empty for narrator and user.
    """
    all_of = (*state.roster, speaker, persona.id if persona else "")
    return tuple(dict.fromkeys(each for each in all_of if each))


def witnessed(message: SceneMessage, who: str) -> bool:
    """Whether a character may know a message: it was there when that was said, and it was not taken back."""
    return not message.undone and who in (*message.witnesses, message.speaker_id)
