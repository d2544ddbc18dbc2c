"""The planning of a book by hand, durable. No lock is held: sessions go on beside it."""

from typing import assert_never

from temporalio import workflow
from temporalio.workflow import execute_activity_method as ask

from activities.book_session import BookActivities
from activities.planning import PlanningActivities
from penwright.domain.book import plan_run as rules
from penwright.roles.ink_planner import role_call as planners
from schemas.base import Progress
from schemas.book_session import PushBook, SaveOutline
from schemas.planning import (
    EndPlanning,
    FindOutlines,
    MakeOutline,
    PlanningInput,
    PlanningResult,
    PlanningState,
)
from workflows.agents.employing import EmploysAgent
from workflows.failures import concluded
from workflows.options import PASSAGE_PATIENCE, PROSE_WRITE, REMOTE, REPO_WRITE, at
from workflows.steering import should_continue_as_new


@workflow.defn
class BookPlanning(EmploysAgent[PlanningInput, PlanningState]):
    """Runs as ``planning/<book-id>`` until each outline that a person wished for is made."""

    @workflow.init
    def __init__(self, given: PlanningInput) -> None:
        prefix = f"{rules.run_name(given.book_id, given.session)}:"
        super().__init__(given, given.state or PlanningState(), op_prefix=prefix)

    @workflow.run
    async def run(self, given: PlanningInput) -> PlanningResult:
        self._show()
        while step := await self._next(rules.next_step):
            self._state = await self._attempt(step, self._take, rules.failed)
            self._show()
            if should_continue_as_new():
                workflow.continue_as_new(given.model_copy(update={"state": self._state}))
        return concluded(rules.result(given, self._state))

    async def _take(self, step: rules.Step) -> PlanningState:
        queue = self._given.repo_queue
        match step:
            case FindOutlines():
                found = await ask(PlanningActivities.find_outlines, step, **at(queue, REPO_WRITE))
                return rules.found(self._state, found, workflow.now())
            case MakeOutline():
                return await self._plan(step)
            case SaveOutline():
                saved = await ask(BookActivities.save_outline, step, **at(queue, PROSE_WRITE))
                return rules.saved(self._state, saved)
            case PushBook():
                pushed = await ask(PlanningActivities.push_outlines, step, **at(queue, REMOTE))
                return rules.pushed(self._state, pushed)
            case EndPlanning():
                await ask(PlanningActivities.end_planning, step, **at(queue, REPO_WRITE))
                return rules.ended(self._state)
            case _:
                assert_never(step)

    async def _plan(self, step: MakeOutline) -> PlanningState:
        """Let the planner make one outline; at a cap it waits for a person."""
        number = step.brief.number
        brief = await ask(
            PlanningActivities.brief_planning, step.brief, **at(self._given.repo_queue, REPO_WRITE)
        )
        planner = planners.engaged_by_hand(self._given, brief, number)
        run = await self._employ(planner, {}, lambda run: False, patience=PASSAGE_PATIENCE)
        return rules.planned(self._state, planners.planned(number, run))

    def _progress(self) -> Progress:
        return rules.progress(self._given, self._state)
