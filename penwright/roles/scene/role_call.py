"""One call of a scene's role: its run, and what it delivers."""

from collections.abc import Mapping
from typing import TypeVar

from penwright.agents.digests import text_digest
from penwright.agents.loop.reporting import ending_of, has_delivered
from penwright.agents.loop.run import Run, begin
from penwright.domain.models.choice import asked_of
from penwright.domain.prose.rule_texts import described
from penwright.roles.calls import call_input
from penwright.roles.scene.cast import ROLES
from penwright.roles.scene.role_params import params_of
from schemas.agent_run import AgentRunInput, RunQueues, RunUsage
from schemas.base import BlobRef
from schemas.director import CharacterReply, DirectorPlan, WorldUpdate
from schemas.director_round import SceneBrief, SceneCall, SceneRole
from schemas.scene import Author
from schemas.scene_roles import (
    PassPlanned,
    SceneDelivery,
    Spoken,
    Summarised,
    WorldTold,
)

Delivered = TypeVar("Delivered", bound=SceneDelivery)

MODEL_CALLS = 4
"""A reply, one repair and one once more, with room so that none is taken for the last turn."""
ONCE_MORE = 1
"""Times that a reply with a fault is asked for again."""


def engaged(call: SceneCall) -> Run:
    """A new run of the role's agent."""
    return begin(ROLES[call.brief.role], task_of(call))


def task_of(call: SceneCall) -> AgentRunInput:
    """Input of the run."""
    brief = call.brief
    task = call_input(
        ROLES[brief.role],
        brief,
        run_id=call.run_id,
        subject=call.subject,
        params=params_of(brief.params, brief.envelope.envelope),
        tag=call.override_tag,
        model_role=asked_of(brief.role, brief.model),
        queues=RunQueues(models=call.model_queue, tools=call.tool_queue),
        model_calls=MODEL_CALLS,
        cost_micros=call.cost_micros,
        completion_rounds=ONCE_MORE,
    )
    return task.model_copy(update={"stream_to": call.stream_to})


def delivered(run: Run, kind: type[Delivered]) -> Delivered:
    """Output of a run that ``has_delivered``; its cost is in ``run.state.spent``."""
    return kind.model_validate(run.state.output)


def director_plan(run: Run) -> DirectorPlan:
    """The plan of a director who has delivered."""
    return delivered(run, PassPlanned).plan


def reply_of(run: Run) -> tuple[BlobRef, CharacterReply]:
    """Reply of a character or narrator who has delivered: the stored prose, and the rest without it."""
    spoken = delivered(run, Spoken)
    return spoken.text, CharacterReply(text="", reported=spoken.reported)


def note_of(run: Run) -> str:
    """Note on a reply that counts although something is wrong: a broken state block, or what it repeats."""
    spoken = delivered(run, Spoken)
    return "; ".join(filter(None, (spoken.note, *map(described, spoken.findings))))


def summary_of(run: Run) -> BlobRef:
    """The stored summary of a summariser who has delivered."""
    return delivered(run, Summarised).text


def world_update(run: Run) -> WorldUpdate:
    """Update by a world agent who has delivered."""
    return delivered(run, WorldTold).update


def raw_of(run: Run) -> BlobRef | None:
    """The newest reply as the model wrote it; of a failed run, the one that could not be used."""
    return delivered(run, SceneDelivery).raw if has_delivered(run) else run.state.output_at


def author_of(run: Run) -> Author:
    """Author of what a run that ``has_delivered`` delivers, with a digest of instructions and task."""
    wrote = delivered(run, SceneDelivery)
    task = run.given.task_at.sha256 if run.given.task_at else ""
    prompt = text_digest(f"{run.shown.digest} {task}")
    return Author(
        kind="model",
        name=wrote.model,
        prompt_digest=prompt,
        demo=wrote.demo,
        overrides=run.state.override_tag,
    )


def spent_on(brief: SceneBrief, run: Run | None) -> dict[str, int]:
    """Cost of the prompt's memories and the role's calls."""
    used, found = run.state.spent if run is not None else RunUsage(), brief.usage.cost_micros
    return {
        "cost_micros": used.cost_micros + (found or 0),
        "unknown_prices": used.unknown_prices + (found is None),
    }


def failures_of(run: Run) -> tuple[str, ...]:
    """Faults in the replies that could not be used, oldest first, with the paths of fields."""
    return run.state.complaints


def was_stopped(run: Run) -> bool:
    """Whether a person ended the run before it delivered."""
    return not has_delivered(run) and ending_of(run).outcome == "cancelled"


def instructions_of(role: SceneRole, params: Mapping[str, str]) -> str:
    """The role's own instructions as the model reads them, for counting."""
    agent = ROLES[role]
    return begin(
        agent, AgentRunInput(agent=agent.name, run_id="", subject="", params=params_of(params))
    ).shown.text
