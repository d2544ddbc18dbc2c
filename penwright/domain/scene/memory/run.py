"""The making of a scene's memories and summary: which step is next, and what its result changes.

Steps: look what is lacking; remember one round after another, oldest first; sum up by portions until the
newest rounds alone lie outside the summary; look again whenever something was played meanwhile; end.
"""

from typing import Final, Literal

from penwright.domain import control
from schemas.base import Cause, Effect, OpId, Progress
from schemas.control import Control
from schemas.director_round import RememberRound, SceneBrief, SceneCall, SummariseScene
from schemas.memory import Remembered
from schemas.scene_memory import (
    EndSceneMemory,
    LookAtScene,
    Outstanding,
    SceneMemoryInput,
    SceneMemoryResult,
    SceneMemoryState,
)

PIPELINE: Final = "scene-memory"
MESSAGES: Final = 100
"""Messages that a summariser is shown at most at once; what its prompt has no room for comes next."""
DROPS: Final = 3
"""Summaries that may be dropped in a row, because their messages were changed meanwhile."""
Step = LookAtScene | RememberRound | SummariseScene | EndSceneMemory
Stage = Literal["look", "remember", "summarise", "paused", "ended"]


def run_name(scene: str, session: str) -> str:
    """The name under which the run is listed, such as ``scene-memory/harbour#s1``."""
    return f"scene-memory/{scene}#{session}"


def next_step(given: SceneMemoryInput, state: SceneMemoryState, effect: Effect) -> Step | None:
    """Return the first step whose outcome is missing; None at the end."""
    if state.control.ended:
        return None
    if control.must_end(state):
        return _end(given, state, effect)
    if state.found is None:
        return LookAtScene(effect=effect, scene=given.scene, after=state.tried, until=state.until)
    if state.found.rounds:
        number = state.found.rounds[0]
        return RememberRound(effect=_once(given, number, effect), scene=given.scene, round=number)
    if _wants_summary(state):
        return SummariseScene(
            effect=effect,
            scene=given.scene,
            round=state.found.round,
            for_="summariser",
            before=state.found.before,
            session=given.session,
        )
    return LookAtScene(effect=effect, scene=given.scene) if state.wanted else _end(given, state, effect)


def wanted(state: SceneMemoryState) -> SceneMemoryState:
    """Something was played, so a look that began before does not count as the last."""
    return state.model_copy(update={"wanted": True})


def begun(state: SceneMemoryState) -> SceneMemoryState:
    """The look that begins sees all that was wanted before it."""
    return state.model_copy(update={"wanted": False})


def looked(state: SceneMemoryState, outcome: Outstanding) -> SceneMemoryState:
    return control.after_step(state, found=outcome)


def remembered(state: SceneMemoryState, step: RememberRound, outcome: Remembered) -> SceneMemoryState:
    """The memories of a round are there."""
    cost = outcome.usage.cost_micros
    state = control.spent(state, cost or 0, cost is None)
    made = state.remembered + bool(outcome.written or outcome.again)
    return control.after_step(
        state,
        found=_without(state.found, step.round),
        tried=step.round,
        remembered=made,
        written=state.written + outcome.written,
    )


def summarised(
    state: SceneMemoryState, to: int, cost_micros: int = 0, unknown_prices: int = 0
) -> SceneMemoryState:
    """A stretch was summed up, which ends with that message; 0: it was dropped."""
    found = state.found or Outstanding()
    dropped = 0 if to > found.summarised_to else state.dropped + 1
    return control.after_step(
        control.spent(state, cost_micros, unknown_prices),
        found=None,
        summarised_to=to,
        until=found.before or 0,
        dropped=dropped,
        gave_up=dropped >= DROPS,
    )


def unsummarised(
    state: SceneMemoryState, cause: Cause, cost_micros: int = 0, unknown_prices: int = 0
) -> SceneMemoryState:
    """No summary could be made; the next run tries again."""
    state = control.spent(state, cost_micros, unknown_prices)
    if control.must_end(state):
        return control.after_step(state)
    return control.after_step(_troubled(state, cause), gave_up=True)


def failed(given: SceneMemoryInput, state: SceneMemoryState, step: Step, cause: Cause) -> SceneMemoryState:
    """A step failed for good. Where it is the work of one round, the others are remembered all the same."""
    match step:
        case RememberRound():
            return remembered(_troubled(state, cause), step, Remembered())
        case SummariseScene():
            return unsummarised(state, cause)
        case LookAtScene():
            return control.after_step(control.failed(state, stage(state), cause))
        case EndSceneMemory():
            return ended(control.failed(state, stage(state), cause))


def ended(state: SceneMemoryState) -> SceneMemoryState:
    return control.after_step(control.ended(state))


def again(given: SceneMemoryInput, state: SceneMemoryState) -> SceneMemoryInput | None:
    """The input of a further run, if something was played while this one ended; None if it may end."""
    if not state.wanted or control.must_end(state):
        return None
    # The counter goes on, so that no op id is used twice.
    fresh = SceneMemoryState(control=Control(effects=state.control.effects))
    return given.model_copy(update={"state": fresh})


def call_of(given: SceneMemoryInput, state: SceneMemoryState, brief: SceneBrief) -> SceneCall:
    """Return the call of the summariser; it counts to the scene's budget."""
    return SceneCall(
        brief=brief,
        run_id=f"scene-memory/{given.scene}/{given.session}/{state.control.effects}/summariser",
        subject=f"scene/{given.scene}",
        model_queue=given.model_queue,
        tool_queue="",
        override_tag=given.override_tag,
    )


def stage(state: SceneMemoryState) -> Stage:
    """The stage, in one word."""
    if state.control.ended:
        return "ended"
    if state.control.paused:
        return "paused"
    if state.found is not None and state.found.rounds:
        return "remember"
    return "summarise" if _wants_summary(state) else "look"


def result(state: SceneMemoryState) -> SceneMemoryResult:
    """Result of the run; what could not be made fails it, after all the rest."""
    fields = control.end_fields(state)
    if state.trouble is not None and fields["outcome"] == "completed":
        fields |= {"outcome": "failed", "code": state.trouble.code, "message": state.trouble.message}
    return SceneMemoryResult(
        **fields,
        remembered=state.remembered,
        written=state.written,
        summarised_to=state.summarised_to,
        cost_micros=state.control.cost_micros,
        unknown_prices=state.control.unknown_prices,
    )


def progress(given: SceneMemoryInput, state: SceneMemoryState) -> Progress:
    """The status, for people."""
    ending = result(state)
    return control.progress(
        state,
        pipeline=PIPELINE,
        subject=given.scene,
        stage=stage(state),
        detail=_detail(state),
        outcome=ending.outcome,
        code=ending.code,
    )


def _detail(state: SceneMemoryState) -> str:
    found = state.found or Outstanding()
    match stage(state):
        case "paused":
            return control.pause_detail(state)
        case "remember":
            return f"Rounds that are remembered: {state.remembered:,}; still to do: {found.left:,}"
        case "summarise":
            return f"Summing up; messages without a summary: {found.unsummarised:,}"
        case _:
            return f"Rounds that are remembered: {state.remembered:,}"


def _wants_summary(state: SceneMemoryState) -> bool:
    return state.found is not None and state.found.before is not None and not state.gave_up


def _once(given: SceneMemoryInput, round: int, effect: Effect) -> Effect:
    """The same op id in every run: whoever remembers a round again finds its memories there."""
    return effect.model_copy(update={"op_id": OpId(f"scene/{given.scene}#memory:{round}")})


def _without(found: Outstanding | None, round: int) -> Outstanding | None:
    """The rest that is to do; None if there is more to look for."""
    if found is None:
        return None
    rounds, left = tuple(each for each in found.rounds if each != round), found.left - 1
    return None if left and not rounds else found.model_copy(update={"rounds": rounds, "left": left})


def _troubled(state: SceneMemoryState, cause: Cause) -> SceneMemoryState:
    return state if state.trouble else state.model_copy(update={"trouble": cause})


def _end(given: SceneMemoryInput, state: SceneMemoryState, effect: Effect) -> EndSceneMemory:
    return EndSceneMemory(effect=effect, scene=given.scene, session=given.session, result=result(state))
