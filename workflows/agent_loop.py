"""An agent at work, durable: model calls, tool calls and sub-agents, in the order the rules say."""

import asyncio

from temporalio import workflow
from temporalio.exceptions import ApplicationError

from activities.agent_run import run_of
from penwright.agents.loop import reporting, steering
from penwright.agents.loop import steps as loop
from penwright.agents.loop.run import begin, state_at_rest
from penwright.errors import Refused
from penwright.roles import catalogue
from schemas.agent_run import (
    AgentRunInput,
    AgentRunResult,
    AgentRunState,
    CallApproval,
    CallDecision,
)
from schemas.base import Progress
from schemas.book_session import StopOrder
from workflows.agent_driving import AgentDriver
from workflows.visibility import show


@workflow.defn
class AgentLoop:
    """One run of one agent. Its workflow id, ``agent/<run-id>``, makes a second start the same run."""

    @workflow.init
    def __init__(self, given: AgentRunInput) -> None:
        self._driver = AgentDriver(begin(catalogue.find(given.agent).definition, given), start=_start)

    @workflow.run
    async def run(self, given: AgentRunInput) -> AgentRunResult:
        self._show()
        while await self._driver.advance(self._show, lambda: self._resting):
            self._show()
            # A handler that waits for the next step would never finish, so only between messages.
            if self._resting and loop.may_rest(self._driver.run) and workflow.all_handlers_finished():
                workflow.continue_as_new(loop.carried(self._driver.run))
        await workflow.wait_condition(workflow.all_handlers_finished)
        return _conclude(given, self._driver.result)

    @property
    def _resting(self) -> bool:
        return workflow.info().is_continue_as_new_suggested() or loop.is_segment_full(self._driver.run)

    def _show(self) -> None:
        show(reporting.progress(self._driver.run))

    @workflow.update
    async def decide_call(self, decision: CallDecision) -> CallApproval:
        """Allow or deny the call that waits; answers with what was decided about."""
        asked = self._driver.run.state.approval
        assert asked is not None, "the validator has seen it"
        self._driver.decide(decision)
        return asked

    @decide_call.validator
    def _may_decide(self, decision: CallDecision) -> None:
        refusal = steering.unanswerable(self._driver.run, decision, workflow.now())
        if refusal is not None:
            raise Refused(refusal.code, refusal.message)

    @workflow.signal
    def kill(self, order: StopOrder) -> None:
        """End at the next safe edge."""
        self._driver.stop(order)

    @workflow.signal
    def pause(self) -> None:
        """Finish the step in hand, then wait."""
        self._driver.pause()

    @workflow.signal
    def resume(self) -> None:
        """Go on after a pause."""
        self._driver.resume()

    @workflow.query
    def progress(self) -> Progress:
        return reporting.progress(self._driver.run)

    @workflow.query
    def state(self) -> AgentRunState:
        return state_at_rest(self._driver.run)


async def _start(given: AgentRunInput) -> "asyncio.Task[AgentRunResult]":
    """A sub-agent, as a workflow of its own."""
    return await workflow.start_child_workflow(
        AgentLoop.run, given, id=run_of(given.run_id), task_timeout=workflow.info().task_timeout
    )


def _conclude(given: AgentRunInput, result: AgentRunResult) -> AgentRunResult:
    """A failed run fails in Temporal too, under its own code; a sub-agent's caller reads its result."""
    if result.outcome == "failed" and not given.depth:
        raise ApplicationError(result.message, result, type=result.code, non_retryable=True)
    return result
