"""The book session, durable. Its workflow id, ``book/<book-id>``, is the book's lock."""

import asyncio
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import assert_never

from temporalio import workflow
from temporalio.exceptions import ActivityError, ApplicationError, is_cancelled_exception
from temporalio.workflow import execute_activity_method as ask

from activities.approvals import ApprovalActivities
from activities.book_session import BookActivities
from activities.endings import EndingActivities
from activities.writing import WritingActivities
from penwright.domain import session_approval as approvals
from penwright.domain.book import outside_session as outside
from penwright.domain.book import session as rules
from penwright.errors import Refused
from penwright.roles.ink_writer import steps
from penwright.roles.ink_writer.engagement import delivered, engaged, has_delivered, why_nothing
from penwright.roles.ink_writer.tools import ADVANCE, SELECT, SelectActiveIntent
from schemas.agent_run import CarriedOut, CarryOut
from schemas.base import BlobRef, Cause, Effect, OpId, Progress
from schemas.book_session import (
    AdvanceChapter,
    Advanced,
    AdvanceRequest,
    AnnounceApproval,
    BookSessionInput,
    BookSessionResult,
    BookSessionState,
    Closed,
    CloseSession,
    CompleteBook,
    DeliverProse,
    EndSession,
    Opened,
    OpenRequest,
    OpenSession,
    PushBook,
    ReleaseBook,
    SelectIntent,
    SelectRequest,
    Standing,
    StandingRequest,
    StopOrder,
    WriteProse,
)
from schemas.intents import ApprovalDecision, ApprovalRequest, Selected
from workflows.agent_driving import CANCELLED, AgentDriver
from workflows.failures import cause_of, error_from
from workflows.options import PROSE_WRITE, RECORD, REMOTE, REPO_WRITE, at
from workflows.visibility import show

OUT_OF_TIME = StopOrder(who="the session", reason="its time is over")


@workflow.defn
class BookSession:
    """Opens a book, has it written, closes it, and gives it back whatever happens."""

    @workflow.init
    def __init__(self, given: BookSessionInput) -> None:
        self._given = given
        self._state = given.state or BookSessionState()
        self._inbox: deque[DeliverProse | AdvanceRequest] = deque()
        self._advances_asked = len(self._state.advances)
        self._writer: AgentDriver | None = None

    @workflow.run
    async def run(self, given: BookSessionInput) -> BookSessionResult:
        show(rules.progress(given, self._state))
        while step := await self._next():
            self._state = await self._attempt(step)
            show(rules.progress(given, self._state))
            # A handler that waits for the next step would never finish, so only between messages.
            if workflow.info().is_continue_as_new_suggested() and workflow.all_handlers_finished():
                workflow.continue_as_new(given.model_copy(update={"state": self._state}))
        await workflow.wait_condition(workflow.all_handlers_finished)
        return _conclude(rules.result(given, self._state))

    async def _next(self) -> rules.Step | None:
        """The next step, after any pause."""
        if self._state.paused:
            show(rules.progress(self._given, self._state))
            await self._until(lambda: not self._state.paused)
        position = self._state.effects
        op_id = OpId(f"book/{self._given.book_id}#{self._given.session}:{position}")
        return rules.next_step(self._given, self._state, Effect(op_id=op_id, issued_at=workflow.now()))

    async def _attempt(self, step: rules.Step) -> BookSessionState:
        """Take a step; a failure that retries could not cure is an outcome like any other."""
        try:
            return await self._take(step)
        except ActivityError as error:
            if is_cancelled_exception(error):
                return rules.abandoned(rules.stopped(self._state, CANCELLED))
            cause = cause_of(error)
            if outside.may_mend(self._given, self._state, step, cause):
                return rules.denied(self._state, step, cause)
            return rules.failed(self._state, step, cause)

    async def _take(self, step: rules.Step) -> BookSessionState:
        queue = self._given.repo_queue
        match step:
            case OpenSession():
                opened = await ask(BookActivities.open_session, step, **at(queue, REPO_WRITE))
                return rules.opened(self._state, opened, workflow.now())
            case AdvanceChapter():
                moved = await ask(BookActivities.advance_chapter, step, **at(queue, REPO_WRITE))
                return rules.advanced(self._state, moved)
            case WriteProse():
                return await self._write(step)
            case rules.AwaitAgent():
                return await self._listen()
            case CloseSession():
                closed = await ask(BookActivities.close_session, step, **at(queue, PROSE_WRITE))
                if closed.asks is not None and outside.may_mend_itself(self._given, self._state, closed.asks):
                    return rules.denied(self._state, step, outside.cause_of(closed.asks))
                if closed.asks is not None:
                    return rules.asked(self._state, step.effect, closed.asks, workflow.now())
                return rules.closed(self._state, closed)
            case AnnounceApproval():
                return await self._announce(step)
            case rules.AwaitDecision():
                return await self._hear()
            case ReleaseBook():
                released = await ask(BookActivities.release_book, step, **at(queue, PROSE_WRITE))
                return rules.released(self._state, released)
            case PushBook():
                pushed = await ask(BookActivities.push_book, step, **at(queue, REMOTE))
                return rules.pushed(self._state, pushed)
            case CompleteBook():
                sealed = await ask(BookActivities.complete_book, step, **at(queue, REPO_WRITE))
                return rules.completed(self._state, sealed)
            case EndSession():
                await ask(EndingActivities.end_session, step, **RECORD)
                return rules.ended(self._state)
            case _:
                assert_never(step)

    async def _write(self, step: WriteProse) -> BookSessionState:
        """Let the writer's agent work, until it has delivered or the session must give the book back."""
        brief = await ask(WritingActivities.brief_writer, step, **RECORD)
        own = {SELECT.name: self._select_for_writer, ADVANCE.name: self._advance_for_writer}
        self._writer = AgentDriver(engaged(self._given, brief), own_tools=own)
        if self._state.paused:
            self._writer.pause()
        await self._accompany(self._writer)
        run, self._writer = self._writer.run, None
        if has_delivered(run):
            return rules.written(self._state, delivered(run, brief))
        if rules.must_release(self._state):
            return rules.abandoned(self._state)
        return rules.failed(self._state, step, why_nothing(run))

    async def _accompany(self, writer: AgentDriver) -> None:
        """Drive a run to its end; a kill and the end of the session's time end it at once."""
        driving = asyncio.create_task(self._drive(writer))
        while not driving.done() and not rules.must_release(self._state):
            # The clock of a session may stand still while it is paused, so it is set anew at each change.
            await self._until(partial(self._is_turning, driving, self._state.paused))
        if not driving.done():
            writer.stop(self._state.stop or OUT_OF_TIME)
        await driving

    def _is_turning(self, driving: "asyncio.Task[None]", paused: bool) -> bool:
        return driving.done() or self._state.paused is not paused

    async def _drive(self, writer: AgentDriver) -> None:
        while await writer.advance(self._show):
            state = writer.run.state
            if state.paused and not self._state.paused and has_delivered(writer.run):
                writer.stop(StopOrder(who="the session", reason=state.pause_reason))
            elif state.paused and not self._state.paused:
                self._state = rules.capped(self._state, state.pause_reason)
            self._show()

    async def _select_for_writer(self, order: CarryOut) -> CarriedOut:
        intent = SelectActiveIntent.model_validate(order.arguments).intent_id
        try:
            answer = await self._selected(intent)
        except ActivityError as error:
            return steps.denied(order, _rule_of(error))
        self._state = rules.selected(self._state, answer.pin)
        return steps.selected(order, answer)

    async def _advance_for_writer(self, order: CarryOut) -> CarriedOut:
        step = rules.advancing(self._given, self._state, order.effect)
        try:
            outcome = await ask(
                BookActivities.advance_chapter, step, **at(self._given.repo_queue, REPO_WRITE)
            )
        except ActivityError as error:
            return steps.denied(order, _rule_of(error))
        self._state = rules.advanced(self._state, outcome)
        return steps.moved(order, outcome)

    async def _selected(self, intent: str) -> Selected:
        order = SelectIntent(
            book_id=self._given.book_id,
            workspace=self._given.workspace,
            session=self._given.session,
            intent=intent,
        )
        return await ask(BookActivities.select_intent, order, **at(self._given.repo_queue, REPO_WRITE))

    def _show(self) -> None:
        show(rules.progress(self._given, self._state))

    async def _listen(self) -> BookSessionState:
        """Take one message of the outside agent, unless a kill or the time limit comes first."""
        await self._until(lambda: bool(self._inbox))
        if not self._inbox or rules.must_release(self._state):
            return self._state
        message = self._inbox.popleft()
        if isinstance(message, DeliverProse):
            return rules.delivered(self._state, message)
        return rules.advance_asked(self._state)

    async def _announce(self, step: AnnounceApproval) -> BookSessionState:
        """Tell people; but a channel that does not answer holds up nobody who has decided already."""
        telling = workflow.start_activity_method(ApprovalActivities.announce_approval, step, **RECORD)
        if step.decision is None:
            await self._until(lambda: telling.done() or self._state.decision is not None)
        if step.decision is None and not telling.done():
            telling.cancel()
        try:
            await telling
        except ActivityError:
            if step.decision is not None or self._state.decision is None:
                raise
        return rules.announced(self._state, step)

    async def _hear(self) -> BookSessionState:
        """Wait until a person has decided, or the time is over; a kill decides as well."""
        await self._until(lambda: self._state.decision is not None)
        return self._state

    async def _until(self, done: Callable[[], bool]) -> None:
        """Wait for ``done``, a kill, or the end of the session's time, whichever comes first."""
        left = rules.time_left(self._state, workflow.now())
        try:
            await workflow.wait_condition(
                lambda: done() or self._state.stop is not None,
                timeout=left,
                timeout_summary="session time limit",
            )
        except TimeoutError:
            self._state = rules.timed_out(self._state)
        except asyncio.CancelledError:
            # A cancellation from the Temporal UI is a kill like any other: it ends on a commit edge.
            self._state = rules.stopped(self._state, CANCELLED)

    @workflow.update
    async def open(self, request: OpenRequest) -> Opened:
        """The opening's verdict; a caller who did not start this session is told that one is running."""
        await workflow.wait_condition(lambda: self._state.opened is not None or self._state.ended)
        opened = self._state.opened or Opened(
            verdict="refused", code="killed", message="killed before it opened"
        )
        if opened.verdict == "open" and request.opener != self._given.opener:
            return opened.model_copy(update={"verdict": "already-running"})
        return opened.model_copy(update={"session": self._given.session})

    @workflow.update
    async def close(self, delivery: DeliverProse) -> Closed:
        """Deliver the prose; answers when it is in the book and the push was tried."""
        denials = self._state.denials
        if self._taken() is None:
            self._inbox.append(delivery)
        await workflow.wait_condition(lambda: self._is_settled() or self._state.denials > denials)
        if self._state.closed is None:
            denied = self._state.denial if self._state.denials > denials else None
            raise error_from(denied or self._ending())
        report = rules.result(self._given, self._state).report
        return self._state.closed.model_copy(update={"report": report})

    @close.validator
    def _may_close(self, delivery: DeliverProse) -> None:
        self._may_call(delivery.session)
        if self._taken() not in (None, delivery.prose):
            raise Refused(
                "already-delivered", "this session already has its prose; open a new session for more"
            )

    def _taken(self) -> BlobRef | None:
        """The prose that is in hand, or waits to be."""
        waiting = (each.prose for each in self._inbox if isinstance(each, DeliverProse))
        return self._state.written.prose if self._state.written else next(waiting, None)

    @workflow.update
    async def advance(self, request: AdvanceRequest) -> Advanced:
        """Move to the next chapter; answers with its outline or with what is missing."""
        number = self._advances_asked
        self._advances_asked += 1
        self._inbox.append(request)
        await workflow.wait_condition(lambda: len(self._state.advances) > number or self._is_settled())
        if len(self._state.advances) <= number:
            raise error_from(self._ending())
        moved = self._state.advances[number]
        if moved.denial is not None:
            raise error_from(moved.denial)
        return moved

    @advance.validator
    def _may_advance(self, request: AdvanceRequest) -> None:
        self._may_call(request.session, waits=True)

    @workflow.update
    async def select_active_intent(self, request: SelectRequest) -> Selected:
        """Work for another intent, or again for one that was reworded; answers with what it asks."""
        await workflow.wait_condition(lambda: self._state.opened is not None or self._state.ended)
        try:
            answer = await self._selected(request.intent)
        except ActivityError as error:
            cause = cause_of(error)
            raise error_from(cause) from error
        self._may_select(request)
        self._state = rules.selected(self._state, answer.pin)
        return answer

    @select_active_intent.validator
    def _may_select(self, request: SelectRequest) -> None:
        self._may_call(request.session, waits=True, writes=False)

    def _may_call(self, session: str, *, waits: bool = False, writes: bool = True) -> None:
        refusal = outside.refusal(self._given, self._state, session, waits=waits, writes=writes)
        if refusal is not None:
            raise Refused(*refusal)

    def _ending(self) -> Cause:
        return outside.unanswered(self._given, self._state)

    @workflow.update
    async def decide_approval(self, decision: ApprovalDecision) -> ApprovalRequest:
        """Allow or deny the close that waits; answers with what was decided about."""
        request = self._state.asked
        assert request is not None, "the validator has seen it"
        self._state = rules.decided(self._state, decision)
        return request

    @decide_approval.validator
    def _may_decide(self, decision: ApprovalDecision) -> None:
        if self._state.ended:
            raise Refused("no-active-session", "the session is over; nothing was changed")
        if refusal := approvals.unanswerable(self._state, decision, workflow.now()):
            raise Refused(*refusal)

    def _is_settled(self) -> bool:
        return self._state.pushed is not None or self._state.ended

    @workflow.signal
    def kill(self, order: StopOrder) -> None:
        """End at the next commit edge."""
        self._state = rules.stopped(self._state, order)

    @workflow.signal
    def pause(self) -> None:
        """Finish the step in hand, then wait."""
        self._state = rules.paused(self._state)
        if self._writer is not None:
            self._writer.pause()

    @workflow.signal
    def resume(self) -> None:
        """Go on after a pause."""
        self._state = rules.resumed(self._state)
        if self._writer is not None:
            self._writer.resume()

    @workflow.query
    def progress(self) -> Progress:
        return rules.progress(self._given, self._state)

    @workflow.query
    def standing(self, request: StandingRequest) -> Standing:
        return outside.standing(self._given, self._state, request.session, workflow.now())

    @workflow.query
    def state(self) -> BookSessionState:
        return self._state


def _conclude(result: BookSessionResult) -> BookSessionResult:
    """A failed session fails in Temporal too, under the failure's own code."""
    if result.outcome == "failed":
        raise ApplicationError(result.message, result, type=result.code, non_retryable=True)
    return result


def _rule_of(error: ActivityError) -> Cause:
    """A rule's no; an infrastructure that stayed away, and a cancellation, are raised again."""
    cause = cause_of(error)
    if is_cancelled_exception(error) or not cause.final:
        raise error
    return cause
