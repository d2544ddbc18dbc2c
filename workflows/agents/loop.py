"""An agent at work, durable: model calls, tool calls and sub-agents, in the order the rules say."""

import asyncio
from dataclasses import replace

from temporalio import workflow

from activities.agents.transcripts import run_of
from penwright.agents.loop import outside, reporting, steering
from penwright.agents.loop import steps as loop
from penwright.agents.loop.run import begin, serialized_state
from penwright.errors import Refused
from penwright.roles import catalogue
from schemas.agent_run import (
    AgentRunInput,
    AgentRunResult,
    AgentRunState,
    CallApproval,
    CallDecision,
    OutsideAnswer,
    OutsideCall,
)
from schemas.base import Progress
from workflows.agents.driving import AgentDriver
from workflows.failures import concluded
from workflows.steering import Steered


@workflow.defn
class AgentLoop(Steered[AgentRunInput, AgentRunState]):
    """One run of one agent. Its workflow id, ``agent/<run-id>``, makes a second start the same run."""

    @workflow.init
    def __init__(self, given: AgentRunInput) -> None:
        self._driver = AgentDriver(begin(catalogue.find(given.agent).definition, given), start=_start)
        super().__init__(given, self._driver.run.state, op_prefix=f"{given.run_id}#")

    @workflow.run
    async def run(self, given: AgentRunInput) -> AgentRunResult:
        self._show()
        while await self._driver.advance(self._show):
            self._show()
            if self._should_continue_soon():
                self._driver.continue_soon()
                if loop.can_continue_as_new(self._driver.run) and workflow.all_handlers_finished():
                    workflow.continue_as_new(loop.carried(self._driver.run))
        await workflow.wait_condition(workflow.all_handlers_finished)
        # The caller of a sub-agent reads from the result that it failed.
        return self._driver.result if given.depth else concluded(self._driver.result)

    def _should_continue_soon(self) -> bool:
        return workflow.info().is_continue_as_new_suggested() or loop.is_segment_full(self._driver.run)

    @property
    def _state(self) -> AgentRunState:
        """The driver keeps the state, beside what the run is rendered from."""
        return self._driver.run.state

    @_state.setter
    def _state(self, state: AgentRunState) -> None:
        self._driver.run = replace(self._driver.run, state=state)

    @workflow.update
    async def decide_call(self, decision: CallDecision) -> CallApproval:
        """Allow or deny the call that waits; answers with what was decided about."""
        asked = self._state.approval
        assert asked is not None, "the validator has seen it"
        self._driver.decide(decision)
        return asked

    @decide_call.validator
    def _may_decide(self, decision: CallDecision) -> None:
        if refusal := steering.unanswerable(self._driver.run, decision, workflow.now()):
            raise Refused(refusal.code, refusal.message)

    @workflow.update
    async def call_tool(self, call: OutsideCall) -> OutsideAnswer:
        """Make a call for an outside harness; answers once its outcome is known."""
        return await self._driver.calls.answered(call, lambda: self._state.control.ended)

    @call_tool.validator
    def _may_call(self, call: OutsideCall) -> None:
        if refusal := outside.unanswerable(self._driver.run):
            raise Refused(refusal.code, refusal.message)

    @workflow.query
    def state(self) -> AgentRunState:
        return serialized_state(self._driver.run)

    def _progress(self) -> Progress:
        return reporting.progress(self._driver.run)


async def _start(given: AgentRunInput) -> "asyncio.Task[AgentRunResult]":
    """A sub-agent, as a workflow of its own."""
    return await workflow.start_child_workflow(
        AgentLoop.run, given, id=run_of(given.run_id), task_timeout=workflow.info().task_timeout
    )
