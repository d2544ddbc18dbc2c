"""The housekeeping of a night: what is old goes from the store, and repositories are packed, host by host."""

from typing import assert_never

from temporalio import workflow
from temporalio.workflow import execute_activity_method as ask

from activities.housekeeping import HousekeepingActivities
from activities.packing import PackingActivities
from penwright.domain import housekeeping as rules
from schemas.base import Progress
from schemas.housekeeping import (
    ClearStore,
    EndHousekeeping,
    FindQueues,
    HousekeepingInput,
    HousekeepingResult,
    HousekeepingState,
    PackRepositories,
)
from workflows.failures import concluded
from workflows.options import HOUSEKEEPING, RECORD, at
from workflows.steering import Steered, should_continue_as_new


@workflow.defn
class Housekeeping(Steered[HousekeepingInput, HousekeepingState]):
    """Runs as ``housekeeping-<time>``, started by its schedule or by hand; two at once do no harm."""

    @workflow.init
    def __init__(self, given: HousekeepingInput) -> None:
        state = given.state or HousekeepingState()
        super().__init__(given, state, op_prefix=f"{workflow.info().workflow_id}:")

    @workflow.run
    async def run(self, given: HousekeepingInput) -> HousekeepingResult:
        self._show()
        while step := await self._next(rules.next_step):
            self._state = await self._attempt(step, self._take, rules.failed)
            self._show()
            if should_continue_as_new():
                workflow.continue_as_new(given.model_copy(update={"state": self._state}))
        await workflow.wait_condition(workflow.all_handlers_finished)
        return concluded(rules.result(self._state))

    async def _take(self, step: rules.Step) -> HousekeepingState:
        match step:
            case ClearStore():
                cleared = await ask(HousekeepingActivities.clear_store, step, **HOUSEKEEPING)
                return rules.cleared(self._state, cleared, workflow.now())
            case FindQueues():
                found = await ask(HousekeepingActivities.find_queues, step, **RECORD)
                return rules.found(self._state, found)
            case PackRepositories():
                where = at(step.queue, HOUSEKEEPING)
                packed = await ask(PackingActivities.pack_repositories, step, **where)
                return rules.packed(self._state, packed)
            case EndHousekeeping():
                await ask(HousekeepingActivities.end_housekeeping, step, **RECORD)
                return rules.ended(self._state)
            case _:
                assert_never(step)

    def _progress(self) -> Progress:
        return rules.progress(self._given, self._state)
