"""Make the activity and child workflow requests of calls, within the budget."""

from collections.abc import Sequence
from datetime import datetime

from pydantic import BaseModel

from penwright.agents.calls.checking import Ready, RejectedCall, is_exclusive
from penwright.agents.guardrails.selected_intent import SelectedIntent
from penwright.agents.loop import budgeting
from penwright.agents.loop.run import Run, slices_of
from penwright.agents.tools.sub_agent import SubAgent
from penwright.agents.tools.tool import Tool
from schemas.agent_run import AgentRunInput, OpenCall, RunLimits, RunToolCall, RunUsage, StartChild
from schemas.base import Effect, OpId


def is_pure(ready: Ready) -> bool:
    return ready.tool.effect == "pure" and not isinstance(ready.tool.handler, SubAgent)


def over_budget(run: Run, ready: Ready, beside: Sequence[Ready] = ()) -> RejectedCall | None:
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


def ordered(run: Run, together: Sequence[Ready], now: datetime) -> Run:
    """Set the next batch of requests; their budget is reserved by counting them at once."""
    orders = tuple(
        _order(run, asked, ready, Effect(op_id=OpId(asked.key), issued_at=now), _children(together))
        for asked, ready in zip(run.state.open_calls, together, strict=False)
    )
    for order in orders:
        run = run.with_entry("call-started", now, number=order.number, tool=order.tool)
    return reserved(run, len(orders)).with_state(batch=orders)


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


def reserved(run: Run, calls: int) -> Run:
    return run.spending(RunUsage(tool_calls=calls))
