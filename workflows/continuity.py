"""The reading of a book for its continuity, durable. No lock is held: sessions go on beside it."""

from typing import assert_never

from temporalio import workflow
from temporalio.workflow import execute_activity_method as ask

from activities.continuity import ContinuityActivities
from penwright.domain import control
from penwright.domain.continuity import reading as rules
from penwright.roles.ink_clerk import role_call as clerks
from schemas.base import Cause, Progress
from schemas.book_session import PushBook
from schemas.continuity import (
    ContinuityInput,
    ContinuityResult,
    ContinuityState,
    EndReading,
    GatherPassages,
    PublishReadings,
    ReadPassage,
)
from workflows.agents.employing import EmploysAgent
from workflows.failures import concluded
from workflows.options import PASSAGE_PATIENCE, PROSE_WRITE, REMOTE, REPO_WRITE, at
from workflows.steering import should_continue_as_new


@workflow.defn
class BookContinuity(EmploysAgent[ContinuityInput, ContinuityState]):
    """Runs as ``continuity/<book-id>`` until every paragraph of the book has a reading."""

    @workflow.init
    def __init__(self, given: ContinuityInput) -> None:
        prefix = f"{rules.run_name(given.book_id, given.session)}:"
        super().__init__(given, given.state or ContinuityState(), op_prefix=prefix)

    @workflow.run
    async def run(self, given: ContinuityInput) -> ContinuityResult:
        self._show()
        while step := await self._next(rules.next_step):
            self._state = await self._attempt(step, self._take, rules.failed)
            self._show()
            if should_continue_as_new():
                workflow.continue_as_new(given.model_copy(update={"state": self._state}))
        if further := rules.again(given, self._state):
            workflow.continue_as_new(further)
        return concluded(rules.result(given, self._state))

    async def _take(self, step: rules.Step) -> ContinuityState:
        queue = self._given.repo_queue
        match step:
            case GatherPassages():
                self._state = rules.begun(self._state)
                gathered = await ask(ContinuityActivities.gather_passages, step, **at(queue, REPO_WRITE))
                return rules.gathered(self._state, gathered, workflow.now())
            case ReadPassage():
                return await self._read(step)
            case PublishReadings():
                published = await ask(ContinuityActivities.publish_readings, step, **at(queue, PROSE_WRITE))
                return rules.published(self._state, published)
            case PushBook():
                pushed = await ask(ContinuityActivities.push_readings, step, **at(queue, REMOTE))
                return rules.pushed(self._state, pushed)
            case EndReading():
                await ask(ContinuityActivities.end_reading, step, **at(queue, REPO_WRITE))
                return rules.ended(self._state)
            case _:
                assert_never(step)

    async def _read(self, step: ReadPassage) -> ContinuityState:
        """Let the clerk read one passage; a run that a kill or a cap ends leaves it unread."""
        queue = self._given.repo_queue
        brief = await ask(ContinuityActivities.brief_clerk, step.brief, **at(queue, REPO_WRITE))
        clerk = clerks.engaged(self._given, brief, step.number)
        run = await self._employ(clerk, {}, lambda run: False, patience=PASSAGE_PATIENCE)
        outcome = clerks.passage_read(step, run)
        if not isinstance(outcome, Cause):
            return rules.read(self._state, outcome)
        if control.must_end(self._state):
            return control.after_step(self._state)
        return rules.failed(self._given, self._state, step, outcome)

    @workflow.signal
    def wanted(self) -> None:
        """The text of the book has changed."""
        self._state = rules.wanted(self._state)

    def _progress(self) -> Progress:
        return rules.progress(self._given, self._state)
