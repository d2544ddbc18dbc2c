"""The calls of one turn: numbered, checked in order, each with exactly one outcome.

Calls are handled strictly in the order the model made them. Consecutive reads run in parallel, up to the
limit; a call that changes something runs alone. A call is checked against the state after all earlier ones.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from pydantic import BaseModel

from penwright.agents.calls.checking import (
    AvailableTools,
    Ready,
    RejectedCall,
    approval_digest,
    check_call,
    is_exclusive,
    needs_approval,
)
from penwright.agents.calls.results import answer, is_long, refused_as_long
from penwright.agents.definition.output import FINAL_ANSWER
from penwright.agents.digests import canonical_json
from penwright.agents.guardrails.selected_intent import SelectedIntent
from penwright.agents.loop import budgeting
from penwright.agents.loop.recording import ended, recorded
from penwright.agents.loop.run import Run, call_key, slices_of
from penwright.agents.loop.stopping import interruption_cause
from penwright.agents.prompt.section_tree import known_paths
from penwright.agents.tools.sub_agent import SubAgent
from penwright.agents.tools.tool import Tool
from schemas.agent import ToolCall
from schemas.agent_run import (
    AgentRunInput,
    CallApproval,
    OpenCall,
    RunLimits,
    RunToolCall,
    RunUsage,
    StartChild,
    ToolCallResult,
)
from schemas.base import Effect, OpId

_SHOWN_ARGUMENTS = 2_000


def opened(run: Run, calls: Sequence[ToolCall], cut: Sequence[int]) -> Run:
    """Open the calls of a model turn, numbered by their position in the run."""
    first = run.state.calls + 1
    numbered = tuple(
        OpenCall(number=n, key=call_key(run.given, n), call=call, cut=n - first in cut)
        for n, call in enumerate(calls, first)
    )
    return run.with_state(open_calls=numbered, calls=run.state.calls + len(calls), turn_calls=len(calls))


def advanced(run: Run, now: datetime) -> Run:
    """Record every call that needs no activity, up to the next batch or approval."""
    while run.state.open_calls and not run.state.batch and run.state.approval is None:
        run = _one_further(run, now)
    return run


def _one_further(run: Run, now: datetime) -> Run:
    """Record the first open call, or make a batch of the first ones."""
    asked = run.state.open_calls[0]
    if (why := _cancelled_by_end(run)) is not None:
        return ended(run, asked, why, now)
    if (rejected := _surplus(run, asked) or _early_answer(run, asked)) is not None:
        return ended(run, asked, rejected, now)
    available = powers_of(run)
    judged = check_call(asked, available, run.slices)
    if isinstance(judged, RejectedCall):
        return ended(run, asked, judged, now)
    if (over := _over_budget(run, judged)) is not None:
        return ended(run, asked, over, now)
    if _must_ask(run, judged):
        return _asking(run, asked, judged, now)
    if _is_pure(judged):
        return _run_pure(run, asked, judged, now)
    return _ordered(run, [judged, *_companions(run, judged, available)], now)


def powers_of(run: Run) -> AvailableTools:
    """The tools that the agent can call in the present state."""
    known = known_paths(run.definition, run.parameters, run.slices)
    named = {
        tool.name for place in run.definition.places if place.path in known for tool in place.section.tools
    }
    return AvailableTools(run.shown.tools, run.shown.policies, named)


def _cancelled_by_end(run: Run) -> RejectedCall | None:
    """The rejection of all further calls of this turn, if the run is about to end."""
    why = interruption_cause(run)
    return (
        None if why is None else RejectedCall("cancelled", why.code, f"The call was not made: {why.message}.")
    )


def _surplus(run: Run, asked: OpenCall) -> RejectedCall | None:
    """The rejection of a call beyond the limit of calls per turn."""
    most = run.limits.calls_per_turn
    if asked.number <= run.state.calls - run.state.turn_calls + most:
        return None
    text = f"A turn may make {most} calls, and this one was beyond them. Make it again in the next turn."
    return RejectedCall("over-budget", "too-many-calls", text)


def _early_answer(run: Run, asked: OpenCall) -> RejectedCall | None:
    """The rejection of an answer given together with calls whose results the model has not read."""
    if not run.definition.answers_in_json or asked.call.name != FINAL_ANSWER:
        return None
    text = "Other calls were made in the same turn. Look at their results, then answer alone."
    return RejectedCall("failed", "answer-too-early", text)


def _must_ask(run: Run, ready: Ready) -> bool:
    return needs_approval(ready.tool) and ready.tool.name not in run.state.allowed_tools


def _companions(run: Run, first: Ready, available: AvailableTools) -> list[Ready]:
    """Calls directly after ``first`` that may run in parallel with it, up to the first that may not."""
    together: list[Ready] = []
    if is_exclusive(first.tool):
        return together
    for asked in run.state.open_calls[1 : run.limits.parallel]:
        ready = check_call(asked, available, run.slices)
        if isinstance(ready, RejectedCall) or is_exclusive(ready.tool) or _must_ask(run, ready):
            break
        if _is_pure(ready) or _surplus(run, asked) or _over_budget(run, ready, [first, *together]):
            break
        together.append(ready)
    return together


def _run_pure(run: Run, asked: OpenCall, ready: Ready, now: datetime) -> Run:
    """Run a pure tool in the workflow; if it raises, the call has failed."""
    run = _reserved(run, 1)
    try:
        result = ready.tool.handler(ready.call.params, run.slices)  # type: ignore[arg-type]
        carried = answer(ready.tool, asked.number, result)  # type: ignore[arg-type]  # a pure handler's
    except Exception as error:  # whatever a tool raises
        text = f"The tool {ready.tool.name!r} failed: {error!r}. Go on without it."
        carried = ToolCallResult(number=asked.number, fate="failed", code="tool-failed", text=text)
    if is_long(carried):
        carried = refused_as_long(ready.tool, carried)
    return recorded(run, asked, carried, now)


# Approval.


def _asking(run: Run, asked: OpenCall, ready: Ready, now: datetime) -> Run:
    approval = CallApproval(
        id=asked.key,
        number=asked.number,
        tool=ready.tool.name,
        arguments=canonical_json(ready.arguments)[:_SHOWN_ARGUMENTS],
        digest=approval_digest(ready),
        asked_at=now,
        expires_at=now + timedelta(seconds=run.limits.approval_s),
    )
    asking = run.with_state(approval=approval, announced=False, decision=None)
    return asking.with_entry(
        "approval-asked", now, number=asked.number, tool=approval.tool, digest=approval.digest
    )


def decided(run: Run, now: datetime) -> Run:
    """Apply a person's decision; an approved call is checked again against the present state."""
    asked, decision = run.state.open_calls[0], run.state.decision
    if decision is None:
        return run
    run = run.with_state(approval=None, decision=None).with_entry(
        "approval-decided", now, number=asked.number, decided=decision.decided, by=decision.by
    )
    if decision.decided != "approved":
        why = f" {decision.by} said: {decision.reason}" if decision.reason else ""
        code = "approval-expired" if decision.decided == "expired" else "approval-denied"
        text = f"The call was not allowed ({decision.decided}).{why} Do not make it again; go on without it."
        return advanced(ended(run, asked, RejectedCall("refused", code, text), now), now)
    if decision.remember:
        run = run.with_state(allowed_tools=(*run.state.allowed_tools, asked.call.name))
    return advanced(_allowed(run, asked, now), now)


def _allowed(run: Run, asked: OpenCall, now: datetime) -> Run:
    judged = check_call(asked, powers_of(run), run.slices)
    rejected = _cancelled_by_end(run) or (
        judged if isinstance(judged, RejectedCall) else _over_budget(run, judged)
    )
    if rejected is not None:
        return ended(run, asked, rejected, now)
    assert isinstance(judged, Ready)
    return _run_pure(run, asked, judged, now) if _is_pure(judged) else _ordered(run, [judged], now)


def calls_cancelled(run: Run, now: datetime) -> Run:
    """Record every open call as cancelled; each was interrupted or not started."""
    for asked in run.state.open_calls:
        why = _cancelled_by_end(run)
        assert why is not None, "calls are called off for a reason"
        run = ended(run, asked, why, now)
    return run.with_state(batch=(), approval=None, decision=None)


def _is_pure(ready: Ready) -> bool:
    return ready.tool.effect == "pure" and not isinstance(ready.tool.handler, SubAgent)


def _over_budget(run: Run, ready: Ready, beside: Sequence[Ready] = ()) -> RejectedCall | None:
    """The rejection of a call that the caps do not allow together with ``beside``; None if they do."""
    if not budgeting.may_call_tool(run.limits, run.state.spent, len(beside)):
        text = f"The run may make {run.limits.tool_calls} tool calls, and they are spent. Finish without."
        return RejectedCall("over-budget", "tool-calls-spent", text)
    if not isinstance(ready.tool.handler, SubAgent):
        return None
    if run.limits.depth < 1:
        return RejectedCall("over-budget", "too-deep", "No further sub-agents may be started below this one.")
    if budgeting.is_empty(_share(run, ready.tool.handler, among=_children([ready, *beside]))):
        return RejectedCall(
            "over-budget", "budget-spent", "What is left of the run is too little for a sub-agent."
        )
    return None


def _share(run: Run, agent: SubAgent, *, among: int) -> RunLimits:
    return budgeting.share(run.limits, agent.limits, run.state.spent, among=among)


def _children(together: Sequence[Ready]) -> int:
    return sum(isinstance(ready.tool.handler, SubAgent) for ready in together)


def _ordered(run: Run, together: Sequence[Ready], now: datetime) -> Run:
    """Set the next batch of requests; their budget is reserved by counting them at once."""
    orders = tuple(
        _order(run, asked, ready, Effect(op_id=OpId(asked.key), issued_at=now), _children(together))
        for asked, ready in zip(run.state.open_calls, together, strict=False)
    )
    for order in orders:
        run = run.with_entry("call-started", now, number=order.number, tool=order.tool)
    return _reserved(run, len(orders)).with_state(batch=orders)


def _order(
    run: Run, asked: OpenCall, ready: Ready, effect: Effect, children: int
) -> RunToolCall | StartChild:
    handler, tool = ready.tool.handler, ready.tool
    if isinstance(handler, SubAgent):
        given = _child(run, asked, ready, handler, _share(run, handler, among=children))
        return StartChild(
            effect=effect,
            number=asked.number,
            call_id=asked.call.id,
            tool=tool.name,
            given=given,
            alone=is_exclusive(tool),
        )
    return RunToolCall(
        effect=effect,
        agent=run.given.agent,
        run_id=run.given.run_id,
        subject=run.given.subject,
        number=asked.number,
        call_id=asked.call.id,
        tool=tool.name,
        arguments=ready.arguments,
        facts=dict(ready.facts),
        state=slices_of(run, _sent(tool)),
        queue=run.given.queues.tools,
        alone=is_exclusive(tool),
    )


def _sent(tool: Tool) -> tuple[type[BaseModel], ...]:
    """Slices that a worker needs: those the handler reads, and the intent that a plan is published under."""
    needed = (SelectedIntent,) if tool.effect == "workspace-write" else ()
    return tuple(dict.fromkeys((*tool.reads, *needed)))


def _child(run: Run, asked: OpenCall, ready: Ready, agent: SubAgent, limits: RunLimits) -> AgentRunInput:
    params = agent.params(ready.call.params) if agent.params else {}
    return AgentRunInput(
        agent=agent.agent,
        run_id=asked.key,
        subject=run.given.subject,
        task=agent.task(ready.call.params),
        params=dict(params),
        override_tag=run.given.override_tag,
        shared_tag=run.given.shared_tag,
        flags=run.given.flags,
        model_role=agent.model_role or run.given.model_role,
        limits=limits,
        queues=run.given.queues,
        source=asked.key,
        depth=run.given.depth + 1,
    )


def _reserved(run: Run, calls: int) -> Run:
    return run.spending(RunUsage(tool_calls=calls))
