"""The scene as it was before a reply, from the round in which the reply was spoken."""

from collections.abc import Iterable
from itertools import takewhile

from penwright.domain.scene import presence, states
from schemas.scene import PassRecord, Round, SceneState, TurnRecord

_BY_WORDS = ("reported", "inferred")
"""Sources of changes that a turn makes; the others are made between turns."""


def state_before(played: Round, message: str) -> SceneState:
    """Return the state before the message was spoken; that at the round's start if no turn spoke it.

    Args:
        message: its id, as this scene or the one it was branched from has it.
    """
    number = _number(message)
    earlier = tuple(takewhile(lambda turn: _number(turn.message) != number, played.turns))
    state = presence.begun(played.before)
    if len(earlier) == len(played.turns):
        return state
    last = played.turns[len(earlier)].pass_number
    for kept in (each for each in played.passes if each.number <= last):
        state = _played(state, played, kept, earlier)
        if kept.number < last:
            state = presence.left(state, kept.applied.leaving)
    return state


def _played(state: SceneState, played: Round, kept: PassRecord, turns: Iterable[TurnRecord]) -> SceneState:
    """The state after a pass and those of its turns that come before the message."""
    state = states.fold(state, kept.applied.changes)
    state = presence.entered(state, kept.applied.roster)
    exits = {turn.character for turn in kept.applied.turns if turn.exits}
    for turn in turns:
        if turn.pass_number == kept.number and turn.outcome == "spoken":
            state = _spoken(state, played, turn.character)
            state = presence.left(state, exits & {turn.character})
    return state


def _spoken(state: SceneState, played: Round, who: str) -> SceneState:
    own = (each for each in played.changes if each.source in _BY_WORDS and each.by == who)
    state = presence.entered(state, () if who == "narrator" else (who,))
    state = states.fold(state, (each.model_copy(update={"overruled": False}) for each in own))
    return state if who == "narrator" else presence.acted(state, who)


def _number(message: str) -> str:
    return message.rpartition("/")[2]
