"""The control flow of an agent's run: the next step, and the transition for its result.

Steps, in the order ``next_step`` looks for them: (check an answer), (announce, await a decision), carry out
calls, prepare, (store messages), call the model or await a call of an outside harness, end. Everything that
needs nothing of the world, such as a call that is denied or a pure tool, is handled by the transitions. Every
run ends with a result.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial

from pydantic import JsonValue

from penwright.agents.guardrails.completion import world_checkers
from penwright.agents.loop import budgeting, finishing, transcript, turns
from penwright.agents.loop.finishing import concluded, is_answer, last_words
from penwright.agents.loop.recording import recorded
from penwright.agents.loop.reporting import result
from penwright.agents.loop.run import Run, serialized_state, slices_of
from penwright.agents.loop.stopping import apply_limits, interruption_cause, is_over
from penwright.domain import control
from penwright.domain.models.prompt_room import told_cut, unshown
from schemas.agent import AgentMessage
from schemas.agent_run import (
    AgentRunInput,
    AnnounceCall,
    Batch,
    CallDecision,
    CallModel,
    Checked,
    CheckerVerdict,
    CheckWork,
    EndReason,
    EndRun,
    ModelAnswered,
    NewMessage,
    Prepared,
    PrepareRun,
    RunToolCall,
    RunUsage,
    StartChild,
    Stored,
    StoreMessages,
    ToolCallResult,
)
from schemas.base import Cause, Effect

PAUSING_CODES = frozenset({"budget-spent", "price-unknown", "blob-not-found", "blob-corrupt"})
"""Failures that an operator can resolve, with a setting or a backup of the store; the run pauses until it is
resumed instead of ending. They meet a model call, or the storing of messages."""


class AwaitDecision:
    """The step in which a person approves or denies the call, or lets the time run out."""


class AwaitCall:
    """The step in which an outside harness makes its next call."""


class CancelCalls:
    """Cancel the open calls because the run is about to end."""


Step = (
    PrepareRun
    | AnnounceCall
    | AwaitDecision
    | AwaitCall
    | CancelCalls
    | Batch
    | CheckWork
    | StoreMessages
    | CallModel
    | EndRun
)


def next_step(given: AgentRunInput, run: Run, effect: Effect) -> Step | None:
    """The first step whose result is missing, or None when the run has ended."""
    state = run.state
    if state.control.ended:
        return None
    if state.checking and interruption_cause(run) is None:
        return _check(run, effect)
    if state.open_calls:
        return _step_among_calls(given, run, effect)
    if is_over(run):
        return _end(run, effect)
    if state.pins is None:
        return _prepare(given, effect)
    if given.outside:
        # No model call stores them, and an outside harness may be silent for hours.
        return _store(run, effect) if state.new or state.entries else AwaitCall()
    if run.continues_soon and not can_continue_as_new(run):
        return _store(run, effect)
    return _call_model(run, effect)


def _step_among_calls(given: AgentRunInput, run: Run, effect: Effect) -> Step:
    state = run.state
    if interruption_cause(run) is not None:
        return CancelCalls()
    if state.approval is None:
        return Batch(orders=state.batch)
    if not state.announced:
        return AnnounceCall(
            effect=effect,
            agent=given.agent,
            run_id=given.run_id,
            subject=given.subject,
            request=state.approval,
        )
    return _store(run, effect) if run.continues_soon and not can_continue_as_new(run) else AwaitDecision()


def _prepare(given: AgentRunInput, effect: Effect) -> PrepareRun:
    return PrepareRun(
        effect=effect,
        agent=given.agent,
        run_id=given.run_id,
        subject=given.subject,
        params=given.params,
        override_tag=given.override_tag,
        flags=given.flags,
        model_role=given.model_role,
        shared_tag=given.shared_tag,
    )


def _call_model(run: Run, effect: Effect) -> CallModel:
    given, state = run.given, run.state
    assert state.pins is not None, "a run is prepared before it asks a model"
    last = state.winding is not None
    return CallModel(
        effect=effect,
        agent=given.agent,
        run_id=given.run_id,
        subject=given.subject,
        params=given.params,
        flags=given.flags,
        pins=state.pins,
        model_role=given.model_role,
        state=slices_of(run, run.read_slices),
        prompt_digest=run.shown.digest,
        head=state.head,
        new=(*state.new, *_last_words_wanted(run)),
        kind="last" if last else "work",
        max_output_tokens=_output_room(run, last=last),
        context_tokens=run.limits.context_tokens,
        before=state.output if run.definition.reads else None,
        stream_to=given.stream_to,
        entries=state.entries,
    )


def _output_room(run: Run, *, last: bool) -> int:
    wanted = run.limits.last_turn_tokens if last else run.limits.turn_tokens
    reserved = RunUsage() if last else budgeting.reserve_for_last_turn(run.limits, run.state.last_turn)
    return budgeting.output_room(run.limits, run.state.spent, wanted, reserved)


def _check(run: Run, effect: Effect) -> CheckWork:
    given = run.given
    wanted = [kind for checker in world_checkers(run.definition.completion) for kind in checker.reads]
    return CheckWork(
        effect=effect,
        agent=given.agent,
        run_id=given.run_id,
        subject=given.subject,
        output=run.state.output,
        state=slices_of(run, tuple(dict.fromkeys(wanted))),
        queue=given.queues.tools,
    )


def _store(run: Run, effect: Effect) -> StoreMessages:
    state = run.state
    return StoreMessages(
        effect=effect,
        run_id=run.given.run_id,
        subject=run.given.subject,
        head=state.head,
        new=state.new,
        entries=state.entries,
    )


def _end(run: Run, effect: Effect) -> EndRun:
    said = result(run)
    ended_ = run.with_entry("run-ended", effect.issued_at, outcome=said.outcome, code=said.code)
    state = run.state
    return EndRun(
        effect=effect,
        result=said,
        head=state.head,
        new=state.new,
        entries=ended_.state.entries,
    )


def _last_words_wanted(run: Run) -> tuple[NewMessage, ...]:
    """The message before the last turn; it enters the state when that turn is taken."""
    if (why := run.state.winding) is None:
        return ()
    text = f"This is your last turn: {why.message}. No tool can be called. Give your final answer now."
    return (NewMessage(message=AgentMessage(role="user", content=text)),)


# Transitions: each applies a step's result and returns the new run.


def prepared(run: Run, outcome: Prepared, now: datetime) -> Run:
    pins = outcome.pins
    same = outcome.overrides == run.state.overrides
    run = run.after_step(pins=pins, overrides=outcome.overrides, started_at=now)
    run = run if same else run.rendered_again()
    tag = outcome.override_tag
    run = run.with_state(override_tag=tag).with_entry(
        "run-prepared",
        now,
        definition=pins.definition,
        overrides=pins.overrides,
        **({"override_tag": tag} if tag else {}),
    )
    for skipped in outcome.overrides.skipped:
        run = run.with_entry(
            "override-skipped", now, **skipped.model_dump(mode="json", exclude_defaults=True)
        )
    return apply_limits(run, now)


def answered(run: Run, step: CallModel, answer: ModelAnswered, now: datetime) -> Run:
    """Apply a model turn: open its calls, or handle its answer."""
    run = _with_reply(run, step, answer, now)
    if step.kind == "last":
        return last_words(run, answer, now)
    if answer.finish_reason == "refusal" and not answer.calls:
        text = f"the model refused to go on: {answer.text[:500]}"
        return run.with_end_reason(EndReason(outcome="failed", code="model-refused", message=text))
    run = turns.opened(run, answer.calls, answer.cut_calls)
    if any(not is_answer(run, call) for call in answer.calls):
        return apply_limits(turns.advanced(run, now), now)
    return apply_limits(concluded(run, answer, now), now)


def _with_reply(run: Run, step: CallModel, answer: ModelAnswered, now: datetime) -> Run:
    use = budgeting.turn_use(answer)
    turns_ = run.state.turns + 1
    run = run.spending(budgeting.failed_before(answer))
    run = run.spending(use).after_step(head=answer.head, new=(), last_turn=use, turns=turns_)
    run = run.with_state(
        models=_with_name(run.state.models, answer.model),
        instead_of=_with_name(run.state.instead_of, answer.instead_of),
        unshown=tuple(dict.fromkeys((*run.state.unshown, *unshown(answer.cut)))),
    )
    run = replace(run, state=transcript.without_stored(run.state, step.entries))
    return run.with_entry(
        "model-answered",
        now,
        turn=turns_,
        kind=step.kind,
        calls=len(answer.calls),
        characters=len(answer.text),
        finish_reason=answer.finish_reason,
        input_tokens=answer.input_tokens,
        output_tokens=answer.output_tokens,
        model=answer.model,
        **_evidence(step, answer),
    )


def _with_name(names: tuple[str, ...], name: str) -> tuple[str, ...]:
    return (*names, name) if name and name not in names else names


def _evidence(step: CallModel, answer: ModelAnswered) -> dict[str, JsonValue]:
    """References that find the exact prompt and reply of the call again, and its cost."""
    return {
        "op_id": step.effect.op_id,
        "prompt": answer.prompt_at.model_dump() if answer.prompt_at else None,
        "head": answer.head.model_dump() if answer.head else None,
        "mistake": answer.mistake.code if answer.mistake else "",
        "cost_micros": answer.cost_micros,
        "demo": answer.demo,
        **({"cached_tokens": answer.cached_tokens} if answer.cached_tokens else {}),
        **({"thought_tokens": answer.thought_tokens} if answer.thought_tokens else {}),
        **({"instead_of": answer.instead_of} if answer.instead_of else {}),
        **({"cut": told_cut(answer.cut)} if answer.cut else {}),
    }


def carried_out(run: Run, outcomes: Sequence[ToolCallResult], now: datetime) -> Run:
    """The results of the batch, one for each of its orders, in their order."""
    orders = run.state.batch
    assert [one.number for one in outcomes] == [one.number for one in orders], "outcomes pair by position"
    run = run.with_state(batch=())
    for order, outcome in zip(orders, outcomes, strict=True):
        run = recorded(run, run.state.open_calls[0], outcome, now)
        if outcome.fate == "exhausted" and _is_fatal(run, order.tool):
            message = f"the run cannot go on without its tool: {outcome.text}"
            run = run.with_end_reason(EndReason(outcome="failed", code="tool-lost", message=message))
    return apply_limits(turns.advanced(run, now), now)


def checked(run: Run, outcome: Checked, now: datetime) -> Run:
    """Apply the checkers' verdicts on the answer: the run ends, or the agent goes on working."""
    return apply_limits(finishing.checked(run.after_step(), outcome.verdicts, now), now)


def announced(run: Run) -> Run:
    return run.after_step(announced=True)


def decision_received(run: Run, now: datetime) -> Run:
    """Apply the decision, or the expiry of the approval; otherwise return the run unchanged."""
    approval = run.state.approval
    if approval is None:
        return run
    if run.state.decision is None and now >= approval.expires_at:
        expired = CallDecision(
            approval=approval.id, digest=approval.digest, decided="expired", by="the time limit"
        )
        run = run.with_state(decision=expired)
    return apply_limits(turns.decided(run, now), now)


def calls_cancelled(run: Run, now: datetime) -> Run:
    """Cancel all open calls."""
    return apply_limits(turns.calls_cancelled(run, now), now)


def stored(run: Run, step: StoreMessages, outcome: Stored) -> Run:
    run = run.after_step(head=outcome.head, new=())
    return replace(run, state=transcript.without_stored(run.state, step.entries))


def ended(run: Run, step: EndRun) -> Run:
    run = run.steered(control.ended)
    return run.after_step(entries=(), sequence=run.state.sequence + 1, new=())


def failed(run: Run, step: Step, cause: Cause, now: datetime) -> Run:
    """Apply the permanent failure of a step."""
    match step:
        case AnnounceCall():
            return announced(run)
        case EndRun():
            return ended(run, step)
        case CheckWork():
            return checked(run, _unasked(run, cause), now)
        case CallModel() if run.state.winding is not None:
            return run.spending(budgeting.failed_use(cause)).after_step().with_end_reason(run.state.winding)
        case CallModel() | StoreMessages() if cause.code in PAUSING_CODES and not is_over(run):
            paused = run.after_step().steered(partial(control.capped, reason=cause.message))
            return paused.with_entry("run-paused", now, code=cause.code)
        case CallModel():
            run = run.spending(budgeting.failed_use(cause)).with_entry("model-failed", now, code=cause.code)
    return run.after_step().with_end_reason(
        EndReason(outcome="failed", code=cause.code, message=cause.message)
    )


def _unasked(run: Run, cause: Cause) -> Checked:
    """The verdicts of checkers that could not be asked."""
    names = [checker.name for checker in world_checkers(run.definition.completion)]
    reason = f"Whether the task is done could not be checked: {cause.message}"
    return Checked(verdicts=tuple(CheckerVerdict(checker=n, complete=False, reason=reason) for n in names))


def interrupted(run: Run, now: datetime) -> Run:
    """Apply the interruption of a step; its position in the run is not used again."""
    return apply_limits(run.after_step(), now)


def _is_fatal(run: Run, tool: str) -> bool:
    declared = run.definition.tools.get(tool)
    return declared is not None and declared.fatal


# Interrupting a running step, and continuing as new.


def should_interrupt(run: Run, step: Step) -> bool:
    """Whether a running step should be interrupted; only parts that are ``is_interruptible`` are."""
    if isinstance(step, CallModel) and step.kind == "last":
        return is_over(run)
    return interruption_cause(run) is not None and not isinstance(step, EndRun)


def is_interruptible(work: Step | RunToolCall | StartChild) -> bool:
    """Whether running work may be interrupted. Work that changes something is awaited instead."""
    match work:
        case CallModel() | AnnounceCall() | CheckWork():
            return True
        case RunToolCall():
            return not work.alone
        case StartChild():
            # A cancelled sub-agent ends at a step boundary.
            return True
        case _:
            return False


def can_continue_as_new(run: Run) -> bool:
    """Whether nothing is running and every message is stored."""
    state = run.state
    waiting = state.approval is not None and state.announced
    idle = not state.batch and (waiting or not state.open_calls)
    return idle and not state.new and not state.entries and not state.control.ended and state.pins is not None


def is_segment_full(run: Run) -> bool:
    """Whether the run took as many steps since it last continued as new as its limits want at most."""
    most, begun = run.limits.segment_steps, run.given.state.control.effects if run.given.state else 0
    return most is not None and run.state.control.effects - begun >= most


def carried(run: Run) -> AgentRunInput:
    """The input to continue as new: the whole state, without messages."""
    state = serialized_state(run)
    outcomes = tuple(one.model_copy(update={"message": ""}) for one in state.outcomes)
    return run.given.model_copy(update={"state": state.model_copy(update={"outcomes": outcomes})})
