"""The book session, durable. Its workflow id, ``book/<book-id>``, is the book's lock."""

from typing import assert_never

from temporalio import workflow
from temporalio.exceptions import ActivityError
from temporalio.workflow import execute_activity_method as ask

from activities.approvals import ApprovalActivities
from activities.book_session import BookActivities
from activities.books.writing import WritingActivities
from activities.endings import EndingActivities
from penwright.agents.loop.reporting import has_delivered
from penwright.domain import approvals
from penwright.domain import outside_agent as outside
from penwright.domain.book import session as rules
from penwright.domain.book import session_status as status
from penwright.domain.book import transitions
from penwright.roles.ink_planner import role_call as planners
from penwright.roles.ink_session_editor import role_call as editors
from penwright.roles.ink_writer import role_call, steps
from penwright.roles.ink_writer.tools import ADVANCE, SELECT, SelectActiveIntent
from schemas import book_session as book
from schemas.agent_run import RunToolCall, ToolCallResult
from schemas.base import Cause, Progress
from schemas.book_session import BookSessionInput, BookSessionResult, BookSessionState
from schemas.intents import Selected
from schemas.outside_session import DeliverProse, OpenRequest
from workflows.agents.employing import EmploysAgent
from workflows.agents.outside import DrivenFromOutside
from workflows.approving import Approvable
from workflows.failures import concluded, denial_of
from workflows.options import PROSE_WRITE, RECORD, REMOTE, REPO_WRITE, at
from workflows.steering import should_continue_as_new


@workflow.defn
class BookSession(
    Approvable[BookSessionInput, BookSessionState],
    DrivenFromOutside[BookSessionInput, BookSessionState, book.OutsideMessage],
    EmploysAgent[BookSessionInput, BookSessionState],
):
    """Opens a book, has it written and closes it; however it ends, the book is released."""

    @workflow.init
    def __init__(self, given: BookSessionInput) -> None:
        state = given.state or BookSessionState()
        super().__init__(given, state, op_prefix=f"book/{given.book_id}#{given.session}:")

    @workflow.run
    async def run(self, given: BookSessionInput) -> BookSessionResult:
        self._show()
        while step := await self._next(rules.next_step):
            self._state = await self._attempt(step, self._take, transitions.failed)
            self._show()
            if should_continue_as_new():
                workflow.continue_as_new(given.model_copy(update={"state": self._state}))
        await workflow.wait_condition(workflow.all_handlers_finished)
        return concluded(status.result(given, self._state))

    async def _take(self, step: rules.Step) -> BookSessionState:
        queue = self._given.repo_queue
        match step:
            case book.OpenSession():
                opened = await ask(BookActivities.open_session, step, **at(queue, REPO_WRITE))
                return transitions.opened(self._state, opened, workflow.now())
            case book.AdvanceChapter():
                moved = await ask(BookActivities.advance_chapter, step, **at(queue, REPO_WRITE))
                return transitions.advanced(self._state, moved)
            case book.PlanChapter():
                return await self._plan(step)
            case book.SaveOutline():
                saved = await ask(BookActivities.save_outline, step, **at(queue, PROSE_WRITE))
                return transitions.outline_saved(self._state, saved)
            case book.WriteProse():
                return await self._write(step)
            case book.EditProse():
                return await self._edit(step)
            case outside.AwaitAgent():
                message = await self._message()
                return transitions.message_taken(self._state, message) if message else self._state
            case book.CloseSession():
                closed = await ask(BookActivities.close_session, step, **at(queue, PROSE_WRITE))
                return transitions.closed(self._given, self._state, step, closed, workflow.now())
            case book.AnnounceApproval():
                telling = workflow.start_activity_method(ApprovalActivities.announce_approval, step, **RECORD)
                return await self._announced(telling, step.decision)
            case approvals.AwaitDecision():
                return await self._decision()
            case book.ReleaseBook():
                released = await ask(BookActivities.release_book, step, **at(queue, PROSE_WRITE))
                return transitions.released(self._state, released)
            case book.PushBook():
                pushed = await ask(BookActivities.push_book, step, **at(queue, REMOTE))
                return transitions.pushed(self._state, pushed)
            case book.CompleteBook():
                sealed = await ask(BookActivities.complete_book, step, **at(queue, REPO_WRITE))
                return transitions.completed(self._state, step, sealed, workflow.now())
            case book.EndSession():
                await ask(EndingActivities.end_session, step, **RECORD)
                return transitions.ended(self._state)
            case _:
                assert_never(step)

    async def _plan(self, step: book.PlanChapter) -> BookSessionState:
        """Let the planner work once; whatever ends its run, the session goes on."""
        brief = await ask(WritingActivities.brief_planner, step, **RECORD)
        run = await self._employ(planners.engaged(self._given, brief), {}, lambda run: True)
        return transitions.planned(self._state, planners.planned(step.chapter, run))

    async def _write(self, step: book.WriteProse) -> BookSessionState:
        """Let the writer's agent work, until it has delivered or the session must release the book."""
        brief = await ask(WritingActivities.brief_writer, step, **RECORD)
        own = {SELECT.name: self._select_for_writer, ADVANCE.name: self._advance_for_writer}
        run = await self._employ(role_call.engaged(self._given, brief), own, has_delivered)
        if has_delivered(run):
            prose = role_call.delivered(run, brief)
            return transitions.written(self._state, prose, awaits_editor=brief.awaits_editor)
        return transitions.unwritten(self._given, self._state, step, role_call.failure_cause(run))

    async def _edit(self, step: book.EditProse) -> BookSessionState:
        """Let the editor read the draft once; whatever ends its run, the session goes on to its close."""
        brief = await ask(WritingActivities.brief_editor, step, **RECORD)
        # The draft is there: a budget that is spent ends this run, and pauses nothing.
        run = await self._employ(editors.engaged(self._given, brief), {}, lambda run: True)
        return transitions.edited(self._state, step.written, editors.edited(step.written, run))

    async def _select_for_writer(self, request: RunToolCall) -> ToolCallResult:
        try:
            answer = await self._look_up(SelectActiveIntent.model_validate(request.arguments).intent_id)
        except ActivityError as error:
            return steps.denied(request, denial_of(error))
        self._state = outside.selected(self._state, answer.pin)
        return steps.selected(request, answer)

    async def _advance_for_writer(self, request: RunToolCall) -> ToolCallResult:
        step, queue = rules.advancing(self._given, self._state, request.effect), self._given.repo_queue
        try:
            moved = await ask(BookActivities.advance_chapter, step, **at(queue, REPO_WRITE))
        except ActivityError as error:
            return steps.denied(request, denial_of(error))
        self._state = transitions.advanced(self._state, moved)
        return steps.moved(request, moved)

    async def _look_up(self, intent: str) -> Selected:
        request = rules.selecting(self._given, intent)
        return await ask(BookActivities.select_intent, request, **at(self._given.repo_queue, REPO_WRITE))

    @workflow.update
    async def open(self, request: OpenRequest) -> book.Opened:
        """The opening's verdict; a caller who did not start this session learns that one is running."""
        return await self._answered(lambda: rules.answer_to_open(self._given, self._state, request))

    @workflow.update
    async def close(self, delivery: DeliverProse) -> book.Closed:
        """Deliver the prose; answers when it is in the book and the push was tried."""
        denials = self._state.denials
        repeated = rules.answer_to_close(self._given, self._state, denials) is not None
        if self._delivered() is None:
            self._inbox.append(delivery)
        return await self._answered(
            lambda: rules.answer_to_close(self._given, self._state, denials, repeated=repeated)
        )

    @close.validator
    def _may_close(self, delivery: DeliverProse) -> None:
        self._may_deliver(delivery)

    @workflow.update
    async def advance(self, request: book.AdvanceRequest) -> book.Advanced:
        """Move to the next chapter; answers with its outline or with what is missing."""
        number = rules.advances_before(self._state, self._inbox)
        self._inbox.append(request)
        return await self._answered(lambda: rules.answer_to_advance(self._given, self._state, number))

    @advance.validator
    def _may_advance(self, request: book.AdvanceRequest) -> None:
        self._may_call(request.session, place=request.place, waits=True)

    @workflow.query
    def state(self) -> BookSessionState:
        return self._state

    def _place(self) -> str:
        return rules.place_of(self._given).name

    def _ending(self) -> Cause:
        return rules.ending(self._given, self._state)

    def _progress(self) -> Progress:
        return status.progress(self._given, self._state)
