"""Driver of an agent's run inside any workflow: steps are taken, messages heard, outcomes folded."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from types import MappingProxyType
from typing import Any, Final, assert_never

from temporalio import workflow
from temporalio.exceptions import (
    ActivityError,
    ChildWorkflowError,
    is_cancelled_exception,
)
from temporalio.workflow import execute_activity_method as ask

from activities.agent_run import AgentRunActivities
from activities.agents.tools import AgentToolActivities
from activities.agents.turn import AgentTurnActivities
from penwright.agents.calls import results as concluding
from penwright.agents.loop import outside, reporting, steering
from penwright.agents.loop import steps as loop
from penwright.agents.loop.run import Run
from penwright.agents.loop.stopping import interruption_cause, is_over
from penwright.domain import control
from penwright.errors import BrokenDefinition
from schemas.agent_run import (
    AgentRunInput,
    AgentRunResult,
    AnnounceCall,
    Batch,
    CallDecision,
    CallModel,
    CheckWork,
    EndRun,
    PrepareRun,
    RunToolCall,
    StartChild,
    StoreMessages,
    ToolCallResult,
)
from schemas.base import Cause
from schemas.control import KillRequest
from workflows.agents.outside_calls import OutsideCalls
from workflows.failures import cause_of, failed_by
from workflows.options import EXTERNAL_CALL, MODEL_CALL, RECORD, TOOL_CALL, at
from workflows.queue_time import time_in_queues
from workflows.steering import CANCELLED, wait_until

_INTERRUPTED = Cause(code="call-cancelled", message="it was cancelled in Temporal")

OwnTools = Mapping[str, Callable[[RunToolCall], Awaitable[ToolCallResult]]]
"""Tools that the workflow itself carries out, as steps of its own, by name."""
ChildStart = Callable[[AgentRunInput], Awaitable["asyncio.Task[AgentRunResult]"]]
_NO_TOOLS: OwnTools = MappingProxyType({})
RUN_QUEUE_TIME: Final = "run-queue-time"
"""Marks runs that ask for it at their own deadline; those that reached it before this was built did not."""


class AgentDriver:
    """One run, driven by the workflow that owns it. The rules decide; this only asks the world."""

    def __init__(self, run: Run, *, own_tools: OwnTools = _NO_TOOLS, start: ChildStart | None = None) -> None:
        self.run = run
        self._own_tools = own_tools
        self._start = start
        self.calls = OutsideCalls()

    async def advance(self, show: Callable[[], None]) -> bool:
        """Take the next step, after any pause; False when the run has ended.

        Args:
            show: shows people the status of the run while it waits.
        """
        try:
            return await self._advanced(show)
        except BrokenDefinition as broken:
            if self.run.given.ends_broken:
                raise failed_by(broken) from broken
            # The task fails and is tried again, so the run goes on once the definition is repaired.
            raise RuntimeError(f"{broken.code}: {broken.message}") from broken

    async def _advanced(self, show: Callable[[], None]) -> bool:
        if self.run.state.control.paused:
            show()
            await self._until(lambda: not self.run.state.control.paused)
        if self._is_late() and not await self._is_put_off():
            self.run = steering.timed_out(self.run, workflow.now())
        step = loop.next_step(self.run.given, self.run, self.run.effect(workflow.now()))
        if step is not None:
            await self._attempt(step)
            self.calls.hand_out(self.run)
        return step is not None

    @property
    def result(self) -> AgentRunResult:
        return reporting.result(self.run)

    def stop(self, request: KillRequest) -> None:
        """End at the next safe edge."""
        self.run = self.run.steered(lambda state: control.stopped(state, request))

    def pause(self) -> None:
        """Finish the step in hand, then wait."""
        self.run = self.run.steered(control.paused)

    def resume(self) -> None:
        """Go on after a pause."""
        self.run = self.run.steered(control.resumed)

    def continue_soon(self) -> None:
        """Store what is not stored yet, so that the run can continue as new."""
        self.run = replace(self.run, continues_soon=True)

    def decide(self, decision: CallDecision) -> None:
        """A person's answer to the call that waits."""
        self.run = steering.decided(self.run, decision)

    def _is_late(self) -> bool:
        left = self._left()
        return left is not None and not left

    def _left(self) -> timedelta | None:
        return steering.time_left(self.run, workflow.now())

    async def _attempt(self, step: loop.Step) -> None:
        """Take a step; a failure that retries could not cure is an outcome like any other."""
        try:
            await self._take(step)
        except ActivityError as error:
            if not is_cancelled_exception(error):
                self.run = loop.failed(self.run, step, cause_of(error), workflow.now())
            else:
                self._cut_off(step)
        except asyncio.CancelledError:
            self._cut_off(step)

    def _cut_off(self, step: loop.Step) -> None:
        """The step was cancelled: by this driver, or in the Temporal UI, which is a kill like any other."""
        if not loop.should_interrupt(self.run, step):
            self.stop(CANCELLED)
        self.run = loop.interrupted(self.run, workflow.now())

    async def _take(self, step: loop.Step) -> None:
        match step:
            case PrepareRun():
                prepared = await ask(AgentRunActivities.prepare_run, step, **RECORD)
                self.run = loop.prepared(self.run, prepared, workflow.now())
            case CallModel():
                await self._converse(step)
            case loop.AwaitCall():
                await self._until(lambda: self.calls.is_waiting)
                if self.calls.is_waiting and not is_over(self.run):
                    self.run = outside.called(self.run, self.calls.take(), workflow.now())
            case Batch():
                await self._carry_out(step)
            case CheckWork():
                await self._check(step)
            case AnnounceCall():
                await self._announce(step)
            case loop.AwaitDecision():
                await self._until(lambda: self.run.state.decision is not None)
                self.run = loop.decision_received(self.run, workflow.now())
            case loop.CancelCalls():
                self.run = loop.calls_cancelled(self.run, workflow.now())
            case StoreMessages():
                stored = await ask(AgentRunActivities.store_messages, step, **RECORD)
                self.run = loop.stored(self.run, step, stored)
            case EndRun():
                await ask(AgentRunActivities.end_run, step, **RECORD)
                self.run = loop.ended(self.run, step)
            case _:
                assert_never(step)

    async def _converse(self, step: CallModel) -> None:
        """Ask the model, but let a kill or the clock interrupt it."""
        asking = workflow.start_activity_method(
            AgentTurnActivities.call_model, step, **at(self.run.given.queues.models, MODEL_CALL)
        )
        await self._through(step, [asking])
        answer = await asking
        self.run = loop.answered(self.run, step, answer, workflow.now())

    async def _check(self, step: CheckWork) -> None:
        """Let checkers look at the world; a kill or the clock interrupts them."""
        looking = workflow.start_activity_method(
            AgentToolActivities.check_work, step, **at(step.queue, TOOL_CALL)
        )
        await self._through(step, [looking])
        self.run = loop.checked(self.run, await looking, workflow.now())

    async def _announce(self, step: AnnounceCall) -> None:
        """Notify people; a decision does not wait for a channel that hangs."""
        telling = workflow.start_activity_method(AgentRunActivities.announce_call, step, **RECORD)
        await self._until(lambda: telling.done() or self.run.state.decision is not None)
        if not telling.done():
            telling.cancel()
        await workflow.wait([telling])
        self.run = loop.announced(self.run)

    async def _carry_out(self, step: Batch) -> None:
        """All requests at the same time; what changes something is never interrupted, only awaited."""
        running = [await self._begun(request) for request in step.orders]
        await self._through(step, running)
        outcomes = [
            await self._outcome(request, work) for request, work in zip(step.orders, running, strict=True)
        ]
        self.run = loop.carried_out(self.run, outcomes, workflow.now())

    async def _begun(self, request: RunToolCall | StartChild) -> "asyncio.Task[Any]":
        if isinstance(request, StartChild):
            assert self._start is not None, "only an agent with sub-agents starts one"
            return await self._start(request.given)
        if (own := self._own_tools.get(request.tool)) is not None:
            return asyncio.ensure_future(own(request))
        outside = self.run.definition.tools[request.tool].effect == "external"
        kind = EXTERNAL_CALL if outside else TOOL_CALL
        return workflow.start_activity_method(
            AgentToolActivities.carry_out, request, **at(request.queue, kind)
        )

    async def _through(self, step: loop.Step, running: "Sequence[asyncio.Task[Any]]") -> None:
        """Wait until everything is done; once the run must end, cut off what may be."""
        while not all(work.done() for work in running):
            await self._until(
                lambda: all(work.done() for work in running) or loop.should_interrupt(self.run, step)
            )
            if loop.should_interrupt(self.run, step):
                self._cut(step, running)
                await workflow.wait(running)

    def _cut(self, step: loop.Step, running: "Sequence[asyncio.Task[Any]]") -> None:
        requests = step.orders if isinstance(step, Batch) else (step,)
        for request, work in zip(requests, running, strict=True):
            if loop.is_interruptible(request) and not work.done():
                work.cancel()

    async def _outcome(self, request: RunToolCall | StartChild, work: "asyncio.Task[Any]") -> ToolCallResult:
        try:
            answer = await work
        except (ActivityError, ChildWorkflowError) as error:
            if is_cancelled_exception(error):
                return concluding.cut(request, interruption_cause(self.run) or _INTERRUPTED)
            return concluding.lost(request, _cause(error))
        return concluding.child_ended(request, answer) if isinstance(request, StartChild) else answer

    async def _until(self, done: Callable[[], bool]) -> None:
        """Wait for ``done``, a kill, or the end of the run's time, whichever comes first."""

        def has_changed() -> bool:
            return done() or self.run.state.control.stop is not None

        while (first := await wait_until(has_changed, self._left())) == "timeout":
            if not await self._is_put_off():
                self.run = steering.timed_out(self.run, workflow.now())
                return
        if first == "cancelled":
            self.stop(CANCELLED)

    async def _is_put_off(self) -> bool:
        """Whether a deadline that passed is put off by what the run waited in queues; or it was ended."""
        if not steering.is_due(self.run, workflow.now()) or not workflow.patched(RUN_QUEUE_TIME):
            return False
        try:
            # Not since the workflow began: a run that continues as new is the same run.
            waited = await time_in_queues(self.run.state.started_at or workflow.info().workflow_start_time)
        except ActivityError:
            self.stop(CANCELLED)
            return True
        later = steering.put_off(self.run, waited)
        self.run = later or self.run
        return later is not None


def _cause(error: ActivityError | ChildWorkflowError) -> Cause:
    if isinstance(error, ActivityError):
        return cause_of(error)
    return Cause(code="sub-agent-lost", message=str(error.cause or error), final=False)
