"""The editing of one scene: saves, undos and rollbacks of people, and operations of outside agents, in turn.

People's orders hold nothing against a running loop: publish orders the two, and the loop reads the text anew
each time. An outside agent's operations are refused while a run has the document to itself.
"""

from typing import TypeVar, assert_never

from temporalio import workflow
from temporalio.exceptions import ActivityError, is_cancelled_exception
from temporalio.workflow import execute_activity_method as ask

from activities.holding import HoldingActivities
from activities.manuscripts.text import ManuscriptTextActivities
from penwright.domain.manuscript import editing as rules
from penwright.errors import Refused
from schemas.base import Cause, Progress
from schemas.editing import (
    EditingInput,
    EditingResult,
    EditingState,
    EditOrder,
    OperationsOrder,
    RestoreOrder,
    SaveOrder,
    SelectOrder,
)
from schemas.holding import FindHolder, lock_id
from schemas.intents import Selected
from schemas.manuscript_text import (
    ApplyOperations,
    OperationsApplied,
    PushNovel,
    RestoreText,
    SaveText,
    SelectSceneIntent,
    TextRestored,
    TextSaved,
)
from workflows.failures import cause_of, error_from
from workflows.holding import DOCUMENT_BUSY, busy_message
from workflows.options import PROSE_WRITE, RECORD, REMOTE, at
from workflows.steering import Steered, should_continue_as_new

Answer = TypeVar("Answer", TextSaved, TextRestored, OperationsApplied, Selected)


@workflow.defn
class Editing(Steered[EditingInput, EditingState]):
    """Runs as ``editing/<novel>/<scene>``, from the first save until no save has come for a while."""

    @workflow.init
    def __init__(self, given: EditingInput) -> None:
        prefix = f"editing/{given.novel_id}/{given.scene}#{given.session}:"
        super().__init__(given, given.state or EditingState(), op_prefix=prefix)
        self._taken = self._state.served
        self._answers: dict[int, rules.Answer | Cause] = {}

    @workflow.run
    async def run(self, given: EditingInput) -> EditingResult:
        self._show()
        while step := await self._next(rules.next_step):
            self._state = await self._attempt(step, self._take, rules.failed)
            self._show()
            if should_continue_as_new():
                workflow.continue_as_new(given.model_copy(update={"state": self._state}))
        await workflow.wait_condition(workflow.all_handlers_finished)
        return rules.result(given, self._state)

    @workflow.update
    async def save(self, order: SaveOrder) -> TextSaved:
        """Save what was typed; answers when it is committed, or why it is not."""
        return await self._answered(order, TextSaved)

    @save.validator
    def _may_save(self, order: SaveOrder) -> None:
        self._may_order()

    @workflow.update
    async def undo(self, order: RestoreOrder) -> TextRestored:
        """Take the scene's last change back."""
        return await self._answered(order.model_copy(update={"kind": "undo"}), TextRestored)

    @undo.validator
    def _may_undo(self, order: RestoreOrder) -> None:
        self._may_order()

    @workflow.update
    async def rollback(self, order: RestoreOrder) -> TextRestored:
        """Bring an earlier text back."""
        return await self._answered(order.model_copy(update={"kind": "rollback"}), TextRestored)

    @rollback.validator
    def _may_roll_back(self, order: RestoreOrder) -> None:
        self._may_order()

    @workflow.update
    async def select_active_intent(self, order: SelectOrder) -> Selected:
        """An outside agent works for an intent; answers with what it asks."""
        return await self._answered(order, Selected)

    @select_active_intent.validator
    def _may_select(self, order: SelectOrder) -> None:
        self._may_work(order)

    @workflow.update
    async def edit(self, order: OperationsOrder) -> OperationsApplied:
        """Carry out an outside agent's operations; answers what became of each."""
        return await self._answered(order, OperationsApplied)

    @edit.validator
    def _may_edit(self, order: OperationsOrder) -> None:
        self._may_work(order)

    def _may_work(self, order: SelectOrder | OperationsOrder) -> None:
        self._may_order()
        if denial := rules.denial(self._state, order):
            raise Refused(*denial)

    def _may_order(self) -> None:
        if refusal := rules.refusal(self._given, self._state):
            raise Refused(*refusal)

    async def _answered(self, order: EditOrder, kind: type[Answer]) -> Answer:
        number, self._taken = self._taken, self._taken + 1
        self._state = rules.queued(self._state, order)
        await workflow.wait_condition(lambda: number in self._answers)
        answer = self._answers.pop(number)
        if isinstance(answer, kind):
            return answer
        assert isinstance(answer, Cause), "an order is answered in its own kind"
        raise error_from(answer)

    async def _take(self, step: rules.Step) -> EditingState:
        match step:
            case SaveText() | RestoreText() | ApplyOperations() | SelectSceneIntent():
                return await self._carry_out(step)
            case rules.AwaitOrder():
                self._state = rules.waiting(self._given, self._state, workflow.now())
                await self._until(lambda: bool(self._state.waiting))
                return self._state
            case PushNovel():
                queue = self._given.repo_queue
                pushed = await ask(ManuscriptTextActivities.push_novel, step, **at(queue, REMOTE))
                return rules.pushed(self._state, pushed)
            case rules.EndEditing():
                return rules.ended(self._state)
            case _:
                assert_never(step)

    async def _carry_out(self, step: rules.Request) -> EditingState:
        """The oldest order; its caller gets the answer, or why there is none."""
        number = self._state.served
        try:
            answer = await self._asked(step)
        except ActivityError as error:
            # A cancelled order stays the oldest one, and is carried out again before the run ends.
            if not is_cancelled_exception(error):
                self._answers[number] = cause_of(error)
            raise
        self._answers[number] = answer
        return rules.answered(self._state, answer)

    async def _asked(self, step: rules.Request) -> rules.Answer:
        where = at(self._given.repo_queue, PROSE_WRITE)
        match step:
            case SaveText():
                return await ask(ManuscriptTextActivities.save_text, step, **where)
            case RestoreText():
                return await ask(ManuscriptTextActivities.restore_text, step, **where)
            case SelectSceneIntent():
                return await ask(ManuscriptTextActivities.select_scene_intent, step, **where)
            case ApplyOperations():
                return await self._applied(step)
            case _:
                assert_never(step)

    async def _applied(self, step: ApplyOperations) -> OperationsApplied:
        """Unless a run has the document to itself; one that begins just then merges, as with a person."""
        lock = FindHolder(lock_id=lock_id(self._given.novel_id, self._given.scene))
        found = await ask(HoldingActivities.find_holder, lock, **RECORD)
        if found.holder is not None:
            said = busy_message(found.holder, f"{self._given.novel_id}/{self._given.scene}")
            return OperationsApplied(outcome="refused", code=DOCUMENT_BUSY, message=said)
        where = at(self._given.repo_queue, PROSE_WRITE)
        return await ask(ManuscriptTextActivities.apply_operations, step, **where)

    def _progress(self) -> Progress:
        return rules.progress(self._given, self._state)
