"""An agent over a dataset, durable: each sample a run of its own, a few at a time."""

import asyncio
from collections import deque
from contextlib import suppress
from typing import assert_never

from temporalio import workflow
from temporalio.common import WorkflowIDReusePolicy
from temporalio.exceptions import (
    ActivityError,
    ApplicationError,
    ChildWorkflowError,
    FailureError,
    TerminatedError,
    TimeoutError,
)
from temporalio.workflow import execute_activity_method as ask

from activities.agents.transcripts import run_of
from activities.eval_run import EvalRunActivities
from penwright.agents.evals import running
from penwright.domain import control
from schemas.agent_run import AgentRunInput, AgentRunResult
from schemas.base import Cause, Progress
from schemas.eval_run import (
    EndEval,
    EvalRunInput,
    EvalRunResult,
    EvalRunState,
    JudgeSample,
    OpenEval,
    PendingSample,
    PlanSamples,
    RunSamples,
    SampleRunResult,
)
from workflows.agents.loop import AgentLoop
from workflows.failures import cause_of, concluded
from workflows.options import RECORD, SAMPLE_SLACK, seconds
from workflows.steering import Steered

Child = workflow.ChildWorkflowHandle[AgentLoop, AgentRunResult]


@workflow.defn
class EvalRun(Steered[EvalRunInput, EvalRunState]):
    """One eval. Its workflow id, ``eval/<id>``, is the lock on its results.

    While it is paused no further sample begins; those under way go on to their end.
    """

    @workflow.init
    def __init__(self, given: EvalRunInput) -> None:
        state = running.begun(given, workflow.info().first_execution_run_id)
        super().__init__(given, state, op_prefix=running.op_prefix(given, state))
        self._under_way: dict[int, Child] = {}

    @workflow.run
    async def run(self, given: EvalRunInput) -> EvalRunResult:
        self._show()
        while step := await self._next(running.next_step):
            self._state = await self._attempt(step, self._take, running.failed)
            self._show()
            if running.can_continue_as_new(self._state) and workflow.all_handlers_finished():
                workflow.continue_as_new(given.model_copy(update={"state": self._state}))
        await workflow.wait_condition(workflow.all_handlers_finished)
        return concluded(running.result(given, self._state))

    async def _take(self, step: running.Step) -> EvalRunState:
        match step:
            case OpenEval():
                opened = await ask(EvalRunActivities.open_eval, step, **RECORD)
                return running.opened(self._state, opened)
            case PlanSamples():
                planned = await ask(EvalRunActivities.plan_trials, step, **RECORD)
                return running.planned(self._state, planned)
            case RunSamples():
                await self._work_off(step)
                return self._state
            case EndEval():
                report = await ask(EvalRunActivities.end_eval, step, **RECORD)
                return running.ended(self._state, report)
            case _:
                assert_never(step)

    async def _work_off(self, step: RunSamples) -> None:
        """Run the trials through as many lanes as may be under way at once."""
        waiting = deque(step.trials)
        lanes = [asyncio.create_task(self._lane(waiting)) for _ in range(self._given.at_once)]
        await self._until(lambda: all(lane.done() for lane in lanes))
        for child in list(self._under_way.values()):
            await self._end(child)
        await workflow.wait(lanes)
        for lane in lanes:
            lane.result()

    async def _lane(self, waiting: deque[PendingSample]) -> None:
        while waiting and not control.must_end(self._state):
            if self._state.control.paused:
                await self._wait_out_pause()
            else:
                await self._settle(waiting.popleft())

    async def _wait_out_pause(self) -> None:
        self._show()
        await self._until(lambda: not self._state.control.paused)
        self._show()

    async def _settle(self, trial: PendingSample) -> None:
        """Run one sample, judge what it came to, and keep that at once."""
        deadline = workflow.now() + seconds(self._given.sample_s)
        given = running.run_of(self._given, self._state, trial, deadline)
        ending = await self._ending(trial, given)
        # Cut off because all of it ends: it has no result, and is run again when the eval is.
        if ending.crash is not None and control.must_end(self._state):
            return
        await self._judge(trial, given.run_id, ending)

    async def _ending(self, trial: PendingSample, given: AgentRunInput) -> SampleRunResult:
        child = await workflow.start_child_workflow(
            AgentLoop.run,
            given,
            id=run_of(given.run_id),
            # A terminated eval may have left one running; it is being terminated too and has no result.
            id_reuse_policy=WorkflowIDReusePolicy.TERMINATE_IF_RUNNING,
            execution_timeout=seconds(self._given.sample_s) + SAMPLE_SLACK,
            task_timeout=workflow.info().task_timeout,
        )
        self._under_way[trial.position] = child
        if control.must_end(self._state):
            await self._end(child)  # all of it was ended while this one was being started
        try:
            return running.ending_of(await child)
        except ChildWorkflowError as error:
            return _crash(error)
        finally:
            del self._under_way[trial.position]

    async def _end(self, child: Child) -> None:
        """Have a run end at its next safe edge."""
        with suppress(FailureError):  # it has just ended by itself
            await child.signal(AgentLoop.kill, running.kill_of_samples(self._state))

    async def _judge(self, trial: PendingSample, run_id: str, ending: SampleRunResult) -> None:
        assert self._state.plan is not None, "an eval is opened before it judges"
        request = JudgeSample(plan=self._state.plan, trial=trial, run_id=run_id, ending=ending)
        try:
            result = await ask(EvalRunActivities.judge_trial, request, **RECORD)
        except ActivityError as error:
            self._state = running.failed(self._given, self._state, request, cause_of(error))
            return
        self._state = running.judged(self._state, trial, result)
        self._show()

    def _progress(self) -> Progress:
        return running.progress(self._given, self._state)


def _crash(error: ChildWorkflowError) -> SampleRunResult:
    """Result of a run that brought none of its own."""
    cause = error.cause
    if isinstance(cause, ApplicationError):
        if cause.details and isinstance(cause.details[0], dict) and "outcome" in cause.details[0]:
            return running.ending_of(AgentRunResult.model_validate(cause.details[0]))
        return _crashed(cause.type or "run-failed", cause.message)
    if isinstance(cause, TerminatedError):
        return _crashed("run-terminated", "the sample's run was terminated in Temporal")
    if isinstance(cause, TimeoutError):
        return _crashed("run-timeout", "the sample's run took too long")
    return _crashed("run-lost", str(cause or error))


def _crashed(code: str, message: str) -> SampleRunResult:
    return SampleRunResult(crash=Cause(code=code, message=message))
