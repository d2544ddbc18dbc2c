"""An agent at work, durable: model calls, tool calls and sub-agents, in the order the rules say."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, assert_never

from temporalio import workflow
from temporalio.exceptions import (
    ActivityError,
    ApplicationError,
    ChildWorkflowError,
    is_cancelled_exception,
)
from temporalio.workflow import execute_activity_method as ask

from activities.agent_run import AgentRunActivities, run_of
from activities.agent_tools import AgentToolActivities
from activities.agent_turn import AgentTurnActivities
from penwright.agents import concluding, loop, reporting, steering
from penwright.agents.run import begin, state_at_rest
from penwright.agents.stopping import why_cut
from penwright.errors import BrokenDefinition
from penwright.roles import catalogue
from schemas.agent_run import (
    AgentRunInput,
    AgentRunResult,
    AgentRunState,
    AnnounceCall,
    Batch,
    CallApproval,
    CallDecision,
    CallModel,
    CarriedOut,
    CarryOut,
    EndRun,
    PrepareRun,
    StartChild,
    StoreMessages,
)
from schemas.base import Cause, Progress
from schemas.book_session import StopOrder
from workflows.failures import cause_of
from workflows.options import MODEL_CALL, RECORD, TOOL_CALL, at
from workflows.visibility import show

CANCELLED = StopOrder(who="temporal", reason="the run was cancelled in Temporal")
_INTERRUPTED = Cause(code="call-cancelled", message="it was cancelled in Temporal")


@workflow.defn
class AgentLoop:
    """One run of one agent. Its workflow id, ``agent/<run-id>``, makes a second start the same run."""

    @workflow.init
    def __init__(self, given: AgentRunInput) -> None:
        self._run = begin(catalogue.find(given.agent).definition, given)

    @workflow.run
    async def run(self, given: AgentRunInput) -> AgentRunResult:
        try:
            return await self._worked(given)
        except BrokenDefinition as broken:
            # Whoever mends the definition lets the run go on, so the task fails and is tried again.
            raise RuntimeError(f"{broken.code}: {broken.message}") from broken

    async def _worked(self, given: AgentRunInput) -> AgentRunResult:
        show(reporting.progress(self._run))
        while step := await self._next():
            await self._attempt(step)
            show(reporting.progress(self._run))
            # A handler that waits for the next step would never finish, so only between messages.
            if self._resting and loop.may_rest(self._run) and workflow.all_handlers_finished():
                workflow.continue_as_new(loop.carried(self._run))
        await workflow.wait_condition(workflow.all_handlers_finished)
        return _conclude(given, reporting.result(self._run))

    @property
    def _resting(self) -> bool:
        return workflow.info().is_continue_as_new_suggested() or loop.is_segment_full(self._run)

    async def _next(self) -> loop.Step | None:
        """The next step, after any pause."""
        if self._run.state.paused:
            show(reporting.progress(self._run))
            await self._until(lambda: not self._run.state.paused)
        self._run = steering.timed_out(self._run, workflow.now()) if self._is_late() else self._run
        return loop.next_step(self._run, workflow.now(), resting=self._resting)

    def _is_late(self) -> bool:
        left = steering.time_left(self._run, workflow.now())
        return left is not None and not left

    async def _attempt(self, step: loop.Step) -> None:
        """Take a step; a failure that retries could not cure is an outcome like any other."""
        try:
            await self._take(step)
        except ActivityError as error:
            if not is_cancelled_exception(error):
                self._run = loop.failed(self._run, step, cause_of(error), workflow.now())
            else:
                self._cut_off(step)
        except asyncio.CancelledError:
            self._cut_off(step)

    def _cut_off(self, step: loop.Step) -> None:
        """By ourselves, or by somebody in the Temporal UI; then it is a kill like any other."""
        if not loop.must_cut(self._run, step):
            self._run = steering.stopped(self._run, CANCELLED.who, CANCELLED.reason)
        self._run = loop.interrupted(self._run, workflow.now())

    async def _take(self, step: loop.Step) -> None:
        match step:
            case PrepareRun():
                prepared = await ask(AgentRunActivities.prepare_run, step, **RECORD)
                self._run = loop.prepared(self._run, prepared, workflow.now())
            case CallModel():
                await self._converse(step)
            case Batch():
                await self._carry_out(step)
            case AnnounceCall():
                await self._announce(step)
            case loop.AwaitDecision():
                await self._until(lambda: self._run.state.decision is not None)
                self._run = loop.heard(self._run, workflow.now())
            case loop.CallOff():
                self._run = loop.called_off(self._run, workflow.now())
            case StoreMessages():
                stored = await ask(AgentRunActivities.store_messages, step, **RECORD)
                self._run = loop.stored(self._run, step, stored)
            case EndRun():
                await ask(AgentRunActivities.end_run, step, **RECORD)
                self._run = loop.ended(self._run, step)
            case _:
                assert_never(step)

    async def _converse(self, step: CallModel) -> None:
        """Ask the model, but let a kill or the clock interrupt it."""
        asking = workflow.start_activity_method(
            AgentTurnActivities.call_model, step, **at(self._run.given.queues.models, MODEL_CALL)
        )
        await self._through(step, [asking])
        answer = await asking
        self._run = loop.answered(self._run, step, answer, workflow.now())

    async def _announce(self, step: AnnounceCall) -> None:
        """Tell people; but a channel that does not answer holds up nobody who has decided already."""
        telling = workflow.start_activity_method(AgentRunActivities.announce_call, step, **RECORD)
        await self._until(lambda: telling.done() or self._run.state.decision is not None)
        if not telling.done():
            telling.cancel()
        await workflow.wait([telling])
        self._run = loop.announced(self._run)

    async def _carry_out(self, step: Batch) -> None:
        """All orders at the same time; what changes something is never interrupted, only awaited."""
        running = [await self._begun(order) for order in step.orders]
        await self._through(step, running)
        outcomes = [
            await self._outcome(order, work) for order, work in zip(step.orders, running, strict=True)
        ]
        self._run = loop.carried_out(self._run, outcomes, workflow.now())

    async def _begun(self, order: CarryOut | StartChild) -> "asyncio.Task[Any]":
        if isinstance(order, CarryOut):
            return workflow.start_activity_method(
                AgentToolActivities.carry_out, order, **at(order.queue, TOOL_CALL)
            )
        return await workflow.start_child_workflow(
            AgentLoop.run,
            order.given,
            id=run_of(order.given.run_id),
            task_timeout=workflow.info().task_timeout,
        )

    async def _through(self, step: loop.Step, running: "Sequence[asyncio.Task[Any]]") -> None:
        """Wait until everything is done; once the run must end, cut off what may be."""
        while not all(work.done() for work in running):
            await self._until(lambda: all(work.done() for work in running) or loop.must_cut(self._run, step))
            if loop.must_cut(self._run, step):
                self._cut(step, running)
                await workflow.wait(running)

    def _cut(self, step: loop.Step, running: "Sequence[asyncio.Task[Any]]") -> None:
        orders = step.orders if isinstance(step, Batch) else (step,)
        for order, work in zip(orders, running, strict=True):
            if loop.is_interruptible(order) and not work.done():
                work.cancel()

    async def _outcome(self, order: CarryOut | StartChild, work: "asyncio.Task[Any]") -> CarriedOut:
        try:
            answer = await work
        except (ActivityError, ChildWorkflowError) as error:
            if is_cancelled_exception(error):
                return concluding.cut(order, why_cut(self._run) or _INTERRUPTED)
            return concluding.lost(order, _cause(error))
        return concluding.child_ended(order, answer) if isinstance(order, StartChild) else answer

    async def _until(self, done: Callable[[], bool]) -> None:
        """Wait for ``done``, a kill, or the clock, whichever comes first."""
        try:
            await workflow.wait_condition(
                lambda: done() or self._run.state.stopped,
                timeout=steering.time_left(self._run, workflow.now()),
                timeout_summary="time limit of the run",
            )
        except TimeoutError:
            self._run = steering.timed_out(self._run, workflow.now())
        except asyncio.CancelledError:
            # A cancellation from the Temporal UI is a kill like any other: it ends on a safe edge.
            self._run = steering.stopped(self._run, CANCELLED.who, CANCELLED.reason)

    @workflow.update
    async def decide_call(self, decision: CallDecision) -> CallApproval:
        """Allow or deny the call that waits; answers with what was decided about."""
        asked = self._run.state.approval
        assert asked is not None, "the validator has seen it"
        self._run = steering.decided(self._run, decision)
        return asked

    @decide_call.validator
    def _may_decide(self, decision: CallDecision) -> None:
        refusal = steering.unanswerable(self._run, decision, workflow.now())
        if refusal is not None:
            raise ApplicationError(refusal.message, type=refusal.code, non_retryable=True)

    @workflow.signal
    def kill(self, order: StopOrder) -> None:
        """End at the next safe edge."""
        self._run = steering.stopped(self._run, order.who, order.reason)

    @workflow.signal
    def pause(self) -> None:
        """Finish the step in hand, then wait."""
        self._run = steering.paused(self._run)

    @workflow.signal
    def resume(self) -> None:
        """Go on after a pause."""
        self._run = steering.resumed(self._run)

    @workflow.query
    def progress(self) -> Progress:
        return reporting.progress(self._run)

    @workflow.query
    def state(self) -> AgentRunState:
        return state_at_rest(self._run)


def _cause(error: ActivityError | ChildWorkflowError) -> Cause:
    if isinstance(error, ActivityError):
        return cause_of(error)
    return Cause(code="sub-agent-lost", message=str(error.cause or error), final=False)


def _conclude(given: AgentRunInput, result: AgentRunResult) -> AgentRunResult:
    """A failed run fails in Temporal too, under its own code; a sub-agent's caller reads its result."""
    if result.outcome == "failed" and not given.depth:
        raise ApplicationError(result.message, result, type=result.code, non_retryable=True)
    return result
