"""A run of the planner in a session or by hand: its input, and the outline in its result."""

from penwright.agents.loop.reporting import ending_of, has_delivered, why_none
from penwright.agents.loop.run import Run, begin
from penwright.roles.calls import book_call_input
from penwright.roles.ink_planner.answer import PlannerOutput
from penwright.roles.ink_planner.definition import PLANNER
from penwright.roles.ink_writer.role_call import run_id_of
from schemas.agent_run import AgentRunInput
from schemas.book_session import BookSessionInput, Brief, ChapterPlan
from schemas.planning import PlanningInput

ROLE = "writer-planner"
"""Settings map it to a model; without one of its own it is the writer's."""
_MODEL_CALLS = 3
"""The outline, one more if it cannot be read, and room so that this is not taken for the last turn."""


def engaged(given: BookSessionInput, brief: Brief) -> Run:
    """A new run of the planner."""
    return begin(PLANNER, task_of(given, brief))


def task_of(given: BookSessionInput, brief: Brief) -> AgentRunInput:
    """The input of the planner's run."""
    run_id = f"{run_id_of(given)}/planner"
    return book_call_input(given, brief, PLANNER, run_id=run_id, model_role=ROLE, model_calls=_MODEL_CALLS)


def engaged_by_hand(given: PlanningInput, brief: Brief, number: int) -> Run:
    """A new run of the planner outside sessions; ``number``: of the chapter."""
    run_id = f"planning/{given.book_id}/{given.session}/{number}"
    task = book_call_input(given, brief, PLANNER, run_id=run_id, model_role=ROLE, model_calls=_MODEL_CALLS)
    return begin(PLANNER, task)


def planned(chapter: int, run: Run) -> ChapterPlan:
    """The outline of a chapter, or the reason why there is none."""
    spent = run.state.spent
    plan = ChapterPlan(chapter=chapter, cost_micros=spent.cost_micros, unknown_prices=spent.unknown_prices)
    if not has_delivered(run):
        return plan.model_copy(update={"why_none": why_none(run), "code": ending_of(run).code})
    output = PlannerOutput.model_validate(run.state.output)
    said = {"outline": output.outline, "model": output.model, "overrides": run.state.override_tag}
    return plan.model_copy(update=said)
