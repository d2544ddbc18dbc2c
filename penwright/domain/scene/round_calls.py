"""The call of a role that a step of a round makes."""

from schemas.base import Cause
from schemas.director_round import BriefRole, DirectorRoundInput, DirectorRoundState, SceneBrief, SceneCall


def call_of(
    given: DirectorRoundInput,
    state: DirectorRoundState,
    step: BriefRole,
    brief: SceneBrief,
    name: str,
    *,
    streams: bool = False,
) -> SceneCall:
    """Return the call.

    Args:
        name: last word of the run's id, such as ``director-1`` or the id of a character.
        streams: whether pieces of the reply go out while they come.
    """
    most = given.cost_micros
    return SceneCall(
        brief=brief,
        run_id=f"scene/{given.scene}/{given.session}/{state.control.effects}/{name}",
        subject=f"scene/{given.scene}",
        model_queue=given.model_queue,
        tool_queue="",
        cost_micros=None if most is None else max(most - state.control.cost_micros, 0),
        stream_to=f"{given.scene}/{step.round}/{name}" if streams else "",
        override_tag=given.override_tag,
    )


def too_small(brief: SceneBrief) -> Cause | None:
    """Cause for asking no model: not even the last round fits into its prompt."""
    kept = brief.envelope
    return Cause(code=kept.code, message=kept.message) if kept.code else None
