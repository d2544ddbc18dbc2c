"""Record the result of a call: in the state, in the outcomes, and as a message for the model."""

from collections.abc import Mapping
from datetime import datetime

from penwright.agents.calls.checking import RejectedCall, parsed
from penwright.agents.calls.results import outcome_of
from penwright.agents.definition.run_slices import learned
from penwright.agents.guardrails.feedback import FeedbackFailed, as_text, feedback_after
from penwright.agents.guardrails.guardrail import Call
from penwright.agents.loop.run import KEPT_OUTCOMES, Run
from penwright.agents.state import applied_failed, apply, load_event
from schemas.agent import AgentMessage, CallKind, CallOutcome
from schemas.agent_run import NewMessage, OpenCall, ToolCallResult


def ended(run: Run, asked: OpenCall, rejected: RejectedCall, now: datetime) -> Run:
    """Record a call that was not made."""
    carried = ToolCallResult(number=asked.number, fate="failed", code=rejected.code, text=rejected.message)
    return recorded(run, asked, carried, now, kind=rejected.kind)


def recorded(
    run: Run, asked: OpenCall, carried: ToolCallResult, now: datetime, *, kind: CallKind | None = None
) -> Run:
    """Record the first open call: apply its events, store its outcome, add its message; all or nothing."""
    outcome = outcome_of(asked, carried)
    if kind is not None:
        outcome = outcome.model_copy(update={"kind": kind})
    run = _learned(_applied(run, carried), asked, outcome)
    run = run.with_state(
        open_calls=run.state.open_calls[1:],
        outcomes=(*run.state.outcomes, outcome)[-KEPT_OUTCOMES:],
    ).spending(carried.spent)
    run, said = _with_feedback(run.with_entry("call-ended", now, **_detail(outcome)), now)
    return run.with_state(new=(*run.state.new, _message(asked, carried, said)))


def _applied(run: Run, carried: ToolCallResult) -> Run:
    """Apply the events of a successful call; of a failed one, only those of logs."""
    events = [load_event(event, run.slices.registry) for event in carried.events]
    fold = apply if carried.fate == "ok" else applied_failed
    return run.with_slices(fold(run.slices, events)) if events else run


def _learned(run: Run, asked: OpenCall, outcome: CallOutcome) -> Run:
    tool = run.definition.tools.get(asked.call.name)
    if outcome.kind != "succeeded" or tool is None:
        return run
    params = parsed(asked, tool)
    assert not isinstance(params, RejectedCall), "a call that was made had arguments that fit"
    call = Call(tool=tool, params=params, number=asked.number)
    policies = {policy.name: policy for policy in run.definition.every_policy}
    return run.with_slices(learned(policies.values(), call, outcome, run.slices))


def _with_feedback(run: Run, now: datetime) -> tuple[Run, str]:
    """Ask the feedback providers after a call, whether or not it succeeded."""
    delivery = feedback_after(run.definition.feedback, run.trajectory(now), run.slices)
    for message in delivery.messages:
        run = run.with_entry("feedback-given", now, provider=message.provider)
    for event in delivery.events:
        if isinstance(event, FeedbackFailed):
            run = run.with_entry("feedback-failed", now, provider=event.provider, error=event.error)
    return run.with_slices(apply(run.slices, delivery.events)), as_text(delivery.messages)


def _detail(outcome: CallOutcome) -> Mapping[str, str | int]:
    shown = outcome.model_dump(mode="json", include={"number", "key", "tool", "kind", "code", "commit"})
    return {name: value for name, value in shown.items() if value != ""}


def _message(asked: OpenCall, carried: ToolCallResult, said: str) -> NewMessage:
    """The message with the result for the model, followed by the feedback."""
    text = "" if carried.text_at else carried.text
    content = f"{text}\n\n{said}" if said else text
    message = AgentMessage(role="tool", content=content, tool_call_id=asked.call.id)
    return NewMessage(message=message, text=carried.text_at)
