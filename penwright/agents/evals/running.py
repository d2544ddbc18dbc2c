"""The control flow of an eval: the next step, and the transition for its result.

Steps, in the order ``next_step`` looks for them: open, (plan trials, run trials) …, end. Every result is kept
as it comes, so an eval that was interrupted anywhere goes on with the samples that have none.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Literal

from pydantic import JsonValue

from penwright.domain import control
from penwright.domain.models.choice import NAMED
from penwright.errors import UsageMistake
from schemas.agent_run import AgentRunInput, AgentRunResult, RunLimits
from schemas.base import Cause, Effect, Progress
from schemas.control import KillRequest
from schemas.eval_run import (
    EndEval,
    EvalOutcome,
    EvalRunInput,
    EvalRunResult,
    EvalRunState,
    JudgeSample,
    OpenedEval,
    OpenEval,
    PendingSample,
    PlannedSamples,
    PlanSamples,
    RunSamples,
    SampleRunResult,
    Tally,
)
from schemas.evals import EvalReport, SampleResult

Step = OpenEval | PlanSamples | RunSamples | EndEval
Stage = Literal["open", "run", "end", "paused", "ended"]


def name_of(eval_id: str) -> str:
    """The workflow id of an eval, which is also the name of its results and the subject of its runs."""
    return f"eval/{eval_id}"


def begun(given: EvalRunInput, execution: str) -> EvalRunState:
    """The state of a new eval, or of the one it continues."""
    return given.state or EvalRunState(execution=execution)


def op_prefix(given: EvalRunInput, state: EvalRunState) -> str:
    """The prefix of op ids of this start of the eval."""
    return f"{name_of(given.eval_id)}#{state.execution}:"


def next_step(given: EvalRunInput, state: EvalRunState, effect: Effect) -> Step | None:
    """The first step whose result is missing, or None when the eval has ended."""
    if state.control.ended:
        return None
    if state.plan is None:
        return OpenEval(effect=effect, execution=state.execution, given=given)
    if control.must_end(state):
        pass
    elif state.trials:
        return RunSamples(trials=state.trials)
    elif state.next is not None:
        return PlanSamples(plan=state.plan, start=state.next, most=given.per_segment)
    return EndEval(
        effect=effect,
        execution=state.execution,
        plan=state.plan,
        outcome=outcome(state),
        message=_why(state).message,
    )


def run_of(
    given: EvalRunInput, state: EvalRunState, trial: PendingSample, deadline: datetime
) -> AgentRunInput:
    """The input of a sample's run.

    Its id follows from what goes into it: a sample that was interrupted is repeated under the same id, and
    no model call whose answer had arrived is paid for again.
    """
    assert state.plan is not None, "an eval is opened before it runs anything"
    return AgentRunInput(
        agent=state.plan.pinned.agent,
        run_id=f"{name_of(given.eval_id)}/{trial.inputs[:32]}",
        subject=given.subject or f"{name_of(given.eval_id)}/samples",
        task_at=trial.task_at,
        params=trial.params,
        override_tag=given.experiment.tag,
        flags=given.experiment.flags,
        model_role=f"{NAMED}{state.model}",
        limits=_limits(given, deadline),
        queues=given.queues,
        ends_broken=True,
    )


def _limits(given: EvalRunInput, deadline: datetime) -> RunLimits:
    """A short time limit shortens the last turn as well."""
    last_turn_s = min(given.limits.last_turn_s, given.sample_s // 4)
    return given.limits.model_copy(update={"deadline": deadline, "last_turn_s": last_turn_s})


def ending_of(result: AgentRunResult) -> SampleRunResult:
    """The result of a sample's run. Only a completed run has an output."""
    if result.outcome == "completed":
        return SampleRunResult(output=result.output, output_at=result.output_at, spent=result.spent)
    cause = Cause(code=result.code or result.outcome, message=result.message or result.outcome)
    return SampleRunResult(crash=cause, spent=result.spent)


# Transitions: each applies a step's result and returns the new state.


def opened(state: EvalRunState, outcome: OpenedEval) -> EvalRunState:
    return control.after_step(state, plan=outcome.plan, model=outcome.model, total=outcome.total)


def planned(state: EvalRunState, outcome: PlannedSamples) -> EvalRunState:
    counted = _counted(state, outcome.finished)
    return control.after_step(counted, trials=outcome.trials, next=outcome.next)


def judged(state: EvalRunState, trial: PendingSample, result: SampleResult) -> EvalRunState:
    """Apply the result of a sample."""
    left = tuple(each for each in state.trials if each.position != trial.position)
    return _counted(state, tally_of([result])).model_copy(update={"trials": left})


def ended(state: EvalRunState, report: EvalReport) -> EvalRunState:
    return control.after_step(control.ended(state), report=report)


def failed(given: EvalRunInput, state: EvalRunState, step: Step | JudgeSample, cause: Cause) -> EvalRunState:
    """It cannot go on: nothing to judge by, a changed experiment, or a store that stays away."""
    cannot_end = state.plan is None or (isinstance(step, EndEval) and control.must_end(state))
    failed_ = control.after_step(control.failed(state, stage(state), cause))
    return control.ended(failed_) if cannot_end else failed_


def _counted(state: EvalRunState, more: Tally) -> EvalRunState:
    counted = control.spent(state, more.cost_micros)
    return counted.model_copy(update={"tally": _sum(state.tally, more)})


def tally_of(results: Sequence[SampleResult]) -> Tally:
    outcomes = [result.outcome for result in results]
    return Tally(
        passed=outcomes.count("passed"),
        failed=outcomes.count("failed"),
        crashed=outcomes.count("crashed"),
        cost_micros=sum(result.cost_micros or 0 for result in results),
    )


def _sum(one: Tally, other: Tally) -> Tally:
    return Tally(**{name: getattr(one, name) + getattr(other, name) for name in Tally.model_fields})


# What the workflow asks about a state.


def kill_of_samples(state: EvalRunState) -> KillRequest:
    """The kill that running samples get once the eval must end."""
    return state.control.stop or KillRequest(who="the eval", reason=_why(state).message)


def can_continue_as_new(state: EvalRunState) -> bool:
    """Whether something was done, nothing is under way, and more is to come."""
    pending = state.plan is not None and not state.trials and state.next is not None
    return pending and bool(state.next) and not control.must_end(state) and not state.control.ended


def outcome(state: EvalRunState) -> EvalOutcome:
    if state.control.failure is not None:
        return "failed"
    return "stopped" if state.control.stop is not None else "completed"


def result(given: EvalRunInput, state: EvalRunState) -> EvalRunResult:
    """The result of the eval."""
    why = _why(state)
    return EvalRunResult(
        outcome=outcome(state),
        code=why.code,
        message=why.message,
        eval_id=given.eval_id,
        report=state.report,
    )


def _why(state: EvalRunState) -> Cause:
    failure, stop = state.control.failure, state.control.stop
    if failure is not None:
        return failure
    if stop is not None:
        return Cause(code="stopped", message=f"{stop.who}: {stop.reason}")
    return Cause(code="", message="")


def progress(given: EvalRunInput, state: EvalRunState) -> Progress:
    """The progress of the eval."""
    ended_by = outcome(state) if state.control.ended else ""
    return control.progress(
        state,
        pipeline="eval-run",
        subject=name_of(given.eval_id),
        stage=stage(state),
        detail=_detail(state),
        outcome="killed" if ended_by == "stopped" else ended_by,
        code=_why(state).code,
    )


def stage(state: EvalRunState) -> Stage:
    """The stage, in one word."""
    if state.control.ended:
        return "ended"
    if state.control.paused:
        return "paused"
    if state.plan is None:
        return "open"
    return "end" if control.must_end(state) else "run"


def _detail(state: EvalRunState) -> str:
    if state.plan is None:
        return f"Failed: {_why(state).message}" if state.control.ended else "Checking the dataset"
    tally = state.tally
    done = tally.passed + tally.failed + tally.crashed
    counts = f"{tally.passed} passed, {tally.failed} failed, {tally.crashed} crashed"
    counted = f"{done} of {state.total} samples: {counts}"
    return f"{control.pause_detail(state)}; {counted}" if stage(state) == "paused" else counted


# What a sample asks.


def asked(question: JsonValue) -> tuple[str, dict[str, JsonValue]]:
    """The task and the parameters in a sample's input.

    A text is the task. An object has ``task``, ``params`` (fields of the agent's sections by type name), or
    both, and nothing else.

    Raises:
        UsageMistake: ``bad-sample`` for anything else.
    """
    if isinstance(question, str):
        return question, {}
    if isinstance(question, dict) and question and not question.keys() - {"task", "params"}:
        task, params = question.get("task", ""), question.get("params", {})
        if isinstance(task, str) and isinstance(params, dict):
            return task, params
    raise UsageMistake(
        "bad-sample",
        "its input is neither a text nor an object with `task` (a text) and `params` (an object)",
    )
