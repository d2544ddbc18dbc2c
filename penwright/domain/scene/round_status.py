"""The status of a director round: its stage, the sentence people read, its progress and its result."""

from typing import Final, Literal

from penwright.domain import control
from penwright.domain.scene.envelope.left_out import no_room
from penwright.domain.scene.plan.holding import holds
from penwright.domain.scene.resolving import name_of
from penwright.domain.scene.round_ending import ending, failed_turns, is_over, spoken_turns
from schemas.base import Progress
from schemas.director_round import DirectorRoundInput, DirectorRoundResult, DirectorRoundState
from schemas.worlds import SceneSettings

PIPELINE: Final = "director-round"
Stage = Literal["open", "direct", "approval", "act", "close", "end", "paused", "ended"]


def run_name(given: DirectorRoundInput) -> str:
    """The name under which the run is listed, such as ``scene/harbour#s1``."""
    return f"scene/{given.scene}#{given.session}"


def stage(given: DirectorRoundInput, state: DirectorRoundState) -> Stage:
    """The round's stage, in one word."""
    if state.control.ended:
        return "ended"
    if state.control.paused:
        return "paused"
    if state.opened is None:
        return "open"
    if state.closed or state.opened.code:
        return "end"
    if is_over(state):
        return "close"
    if holds(_settings(state), state.passes):
        return "approval"
    alone = state.opened.regenerates is not None or state.opened.narrates or given.kind == "narrate"
    if alone or (state.passes and (state.queue or state.steering.force)):
        return "act"
    return "direct"


def _settings(state: DirectorRoundState) -> SceneSettings:
    located = state.opened.located if state.opened else None
    return located.scene.settings if located else SceneSettings()


def result(given: DirectorRoundInput, state: DirectorRoundState) -> DirectorRoundResult:
    """Result of the round; also asked for while it runs, to be recorded by its last step."""
    how, opened, stop = ending(given, state), state.opened, state.control.stop
    refused = opened is not None and bool(opened.code) and state.control.failure is None
    outcome = "refused" if refused else how.status
    spoken = tuple(each.message for each in spoken_turns(state) if each.message)
    return DirectorRoundResult.model_validate(
        {
            "outcome": outcome,
            "scene": given.scene,
            "round": opened.number if opened else 0,
            "spoken": spoken,
            "silent": outcome == "completed" and not spoken,
            "left_over": tuple(each for one in state.passes for each in one.applied.left_over),
            "failed": tuple(dict.fromkeys(each.character for each in failed_turns(state))),
            "code": opened.code if refused and opened else how.code,
            "message": opened.message if refused and opened else how.message,
            "stopped_by": stop.who if stop and outcome == "stopped" else "",
            "cost_micros": state.control.cost_micros,
            "unknown_prices": state.control.unknown_prices,
            "demo": state.demo,
            "models": state.models,
            "warnings": no_room(state.unshown),
        }
    )


def progress(given: DirectorRoundInput, state: DirectorRoundState) -> Progress:
    """The status of the round, for people."""
    ended = result(given, state) if state.control.ended else None
    return control.progress(
        state,
        pipeline=PIPELINE,
        subject=given.scene,
        stage=stage(given, state),
        detail=describe(given, state),
        outcome=ended.outcome if ended else "",
        code=ended.code if ended else "",
    )


def describe(given: DirectorRoundInput, state: DirectorRoundState) -> str:
    """One sentence for the Temporal UI and the command line."""
    number = _number(state)
    match stage(given, state):
        case "open":
            return f"Opening a round of {given.scene}"
        case "paused":
            return control.pause_detail(state)
        case "direct":
            return f"Round {number}: the director plans pass {len(state.passes) + 1}"
        case "approval":
            return f"Round {number}: the plan of pass {len(state.passes)} waits for approval"
        case "act":
            return f"Round {number}: {_speaker(given, state)} acts"
        case "ended":
            return _describe_ending(given, state)
        case _:
            return f"Closing round {number}"


def _speaker(given: DirectorRoundInput, state: DirectorRoundState) -> str:
    assert state.opened is not None, "the round is open"
    if given.kind == "narrate" or state.opened.narrates:
        return "the narrator"
    if state.opened.regenerates is not None:
        return state.opened.regenerates.name
    first = state.steering.force[0] if state.steering.force else state.queue[0].character
    return name_of(first, state.opened.cast)


def _describe_ending(given: DirectorRoundInput, state: DirectorRoundState) -> str:
    ended = result(given, state)
    number = _number(state)
    if ended.silent:
        return f"Round {number} completed; nobody acted"
    why = f": {ended.message}" if ended.message else ""
    return f"Round {number or ''} {ended.outcome}{why}".replace("Round  ", "Round ")


def _number(state: DirectorRoundState) -> int:
    """The round's number, as people see it."""
    return state.opened.counted_as or state.opened.number if state.opened else 0
