"""Whether a round goes on, and how it ends: told from its state alone. Silence is no ending."""

from typing import NamedTuple

from penwright.domain import control
from schemas.director_round import DirectorRoundInput, DirectorRoundState
from schemas.scene import RoundStatus, TurnRecord


class Ending(NamedTuple):
    """End of a round."""

    status: RoundStatus
    code: str = ""
    message: str = ""


def ending(given: DirectorRoundInput, state: DirectorRoundState) -> Ending:
    """End of the round if it ends now."""
    if (cut := _interrupted(state)) is not None:
        return cut
    spoken, failed = spoken_turns(state), failed_turns(state)
    broken = next((each for each in state.passes if each.outcome == "failed"), None)
    if broken is not None and not spoken and not state.replanned:
        return Ending("failed", broken.code, broken.reason)
    if failed and not spoken:
        return Ending("failed", failed[0].code, failed[0].reason)
    if broken is not None:
        return Ending("completed-with-errors", broken.code, broken.reason)
    if failed:
        return Ending("completed-with-errors", failed[0].code, failed[0].reason)
    return Ending("completed")


def _interrupted(state: DirectorRoundState) -> Ending | None:
    steering = state.control
    if steering.failure is not None:
        return Ending("failed", steering.failure.code, steering.failure.message)
    if steering.stop is not None:
        why = f": {steering.stop.reason}" if steering.stop.reason else ""
        return Ending(
            "stopped", "stopped" if state.halted else "killed", f"ended by {steering.stop.who}{why}"
        )
    if steering.timed_out:
        return Ending("stopped", "time-spent", steering.pause_reason or "the round's minutes are spent")
    return None


def is_over(state: DirectorRoundState) -> bool:
    """Whether nothing new may begin."""
    return control.must_end(state)


def spoken_turns(state: DirectorRoundState) -> tuple[TurnRecord, ...]:
    """Turns that left a message, also one that was stopped in the middle."""
    return tuple(each for each in state.turns if each.outcome == "spoken" or each.message)


def failed_turns(state: DirectorRoundState) -> tuple[TurnRecord, ...]:
    """Turns that should have left one."""
    return tuple(each for each in state.turns if each.outcome == "failed")
