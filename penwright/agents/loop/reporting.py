"""The result, progress and stage of a run, and why it delivered nothing."""

from typing import Literal

from penwright.agents.loop.run import Run
from penwright.agents.state import dump_state
from penwright.domain import control
from schemas.agent_run import AgentRunResult, EndReason
from schemas.base import Cause, CommitSha, Progress

Stage = Literal["prepare", "think", "call", "approval", "end", "paused", "ended"]


def result(run: Run) -> AgentRunResult:
    """The result of the run; its last step records it."""
    given, state, how = run.given, run.state, ending_of(run)
    commit = next((one.commit for one in reversed(state.outcomes) if one.commit), "")
    return AgentRunResult(
        outcome=how.outcome,
        code=how.code,
        message=how.message,
        agent=given.agent,
        run_id=given.run_id,
        subject=given.subject,
        output=state.output,
        output_at=state.output_at,
        commit=CommitSha(commit) if commit else None,
        spent=state.spent,
        models=state.models,
        instead_of=state.instead_of,
        tool_calls=state.calls,
        head=state.head,
        state=dump_state(run.slices),
        skipped_overrides=state.overrides.skipped,
    )


def has_delivered(run: Run) -> bool:
    """Whether there is an output, complete or not: what was made is not thrown away for what was not."""
    return run.state.output is not None


def failure_cause(run: Run) -> Cause:
    """Cause for which a run ended without an output.

    A model that gave two unusable replies is a typed failure with the code of the second, such as
    ``invalid-output``, ``cut-off`` or ``empty-reply``; nothing is assumed in place of an answer.
    """
    ended = ending_of(run)
    return Cause(
        code=ended.code or ended.outcome, message=ended.message or "The run ended without an answer."
    )


def why_none(run: Run) -> str:
    """Reason for which a run delivered nothing, as the end of a sentence."""
    ended = ending_of(run)
    return " ".join((ended.message or ended.outcome).split()).rstrip(".")


def ending_of(run: Run) -> EndReason:
    """The end reason; for a run that goes on, the one to record if it were lost now."""
    state = run.state
    if state.ending is not None:
        return state.ending
    if (kill := state.control.stop) is not None:
        return EndReason(outcome="cancelled", code="cancelled", message=f"{kill.who}: {kill.reason}")
    return state.winding or EndReason(
        outcome="unfinished", code="still-running", message="the run has not ended"
    )


def progress(run: Run) -> Progress:
    """The progress of the run."""
    ending = ending_of(run)
    return control.progress(
        run.state,
        pipeline="agent-run",
        subject=run.given.subject,
        stage=stage(run),
        detail=describe(run),
        outcome="killed" if ending.outcome == "cancelled" else ending.outcome,
        code=ending.code,
    )


def stage(run: Run) -> Stage:
    """The stage of the run."""
    state = run.state
    if state.control.ended:
        return "ended"
    if state.control.paused:
        return "paused"
    if state.pins is None:
        return "prepare"
    if state.ending is not None or state.control.stop is not None:
        return "end"
    if state.approval is not None:
        return "approval"
    return "call" if state.open_calls else "think"


def describe(run: Run) -> str:
    """One sentence for the Temporal UI and the command line."""
    state, turn = run.state, run.state.turns + 1
    match stage(run):
        case "ended":
            how = ending_of(run)
            return f"Ended {how.outcome}{': ' if how.message else ''}{how.message}"
        case "paused":
            return control.pause_detail(state)
        case "prepare":
            return f"Preparing {run.given.agent}"
        case "approval":
            return _describe_request(run)
        case "call":
            return f"Turn {turn - 1}: {', '.join(order.tool for order in state.batch)}"
        case "think":
            return f"Turn {turn}: {_describe_thought(run)}"
        case _:
            return "Finishing"


def _describe_thought(run: Run) -> str:
    if run.given.outside:
        return "waiting for a call of the outside agent"
    return "its last words" if run.state.winding else "asking the model"


def _describe_request(run: Run) -> str:
    request = run.state.approval
    assert request is not None, "an approval is pending"
    return f"Waiting until {request.expires_at:%Y-%m-%d %H:%M} UTC for approval of {request.tool!r}"
