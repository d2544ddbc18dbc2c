"""One call of a role: its run, and what it delivers."""

from typing import TypeVar

from penwright.agents.loop.run import Run, begin
from penwright.roles.calls import call_input
from penwright.roles.manuscript.cast import ROLES
from schemas.agent_run import AgentRunInput, RunQueues
from schemas.manuscript_roles import Delivery, RoleCall

Delivered = TypeVar("Delivered", bound=Delivery)

MODEL_CALLS = 4
"""A reply and one repair, with room so that neither is taken for the last turn."""


def engaged(call: RoleCall) -> Run:
    """A new run of the role's agent."""
    return begin(ROLES[call.brief.role].definition, task_of(call))


def task_of(call: RoleCall) -> AgentRunInput:
    """Input of the run."""
    brief, role = call.brief, ROLES[call.brief.role]
    return call_input(
        role.definition,
        brief,
        run_id=call.run_id,
        subject=call.subject,
        params=brief.params,
        tag=call.override_tag,
        model_role=role.model_role,
        queues=RunQueues(models=call.model_queue, tools=call.tool_queue),
        model_calls=MODEL_CALLS if call.model_calls is None else min(call.model_calls, MODEL_CALLS),
        total_tokens=call.tokens,
        cost_micros=call.cost_micros,
    )


def delivered(run: Run, kind: type[Delivered]) -> Delivered:
    """Output of a run that ``has_delivered``; its cost is in ``run.state.spent``.

    Args:
        kind: ``Decided`` of the manager, ``Guided``, ``Planned``, ``Edited`` of writer and reviser,
            ``Critiqued``, ``Targeted``, ``GeneratorAnswer``.
    """
    said = kind.model_validate(run.state.output)
    return said.model_copy(update={"overrides": run.state.override_tag})
