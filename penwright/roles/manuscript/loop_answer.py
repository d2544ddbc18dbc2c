"""A role's run as the manuscript loop takes it: what it delivered or why nothing, and what it cost."""

from datetime import datetime

from penwright.agents.loop.reporting import failure_cause, has_delivered, result
from penwright.agents.loop.run import Run
from penwright.domain.manuscript.scoring import is_near, lower
from penwright.roles.manuscript.role_call import MODEL_CALLS, delivered
from schemas.agent_run import AgentRunResult
from schemas.agent_state import CallEntry
from schemas.base import Cause, OpId
from schemas.manuscript import AskRole, Briefed, ManuscriptInput, RoleAnswered
from schemas.manuscript_roles import Critiqued, Decided, Delivery, Edited, Guided, Planned, RoleCall

_KINDS: dict[str, type[Delivery]] = {
    "manager": Decided,
    "formatter": Guided,
    "planner": Planned,
    "writer": Edited,
    "critic": Critiqued,
    "reviser": Edited,
}


def call_of(given: ManuscriptInput, request: AskRole, briefed: Briefed) -> RoleCall:
    """The call that one step of the loop makes."""
    return RoleCall(
        brief=briefed.brief,
        run_id=request.run_id,
        subject=given.document,
        model_queue=given.model_queue,
        tool_queue=given.repo_queue,
        cost_micros=request.micros_left,
        model_calls=request.calls_left,
        tokens=request.tokens_left,
        override_tag=given.override_tag,
    )


def second_opinion(given: ManuscriptInput, answered: RoleAnswered) -> AskRole | None:
    """The critic asked once more about the same prompt, where its score is near the one that is enough.

    None where it is not, or where the run has nothing left for it.
    """
    said, request = answered.delivery, answered.request
    if not given.second_opinion or not isinstance(said, Critiqued):
        return None
    if not is_near(said.score, given.settings.min_score):
        return None
    spent = {
        "micros_left": answered.cost_micros,
        "calls_left": answered.calls,
        "tokens_left": answered.tokens,
    }
    left = {name: most - spent[name] for name in spent if (most := getattr(request, name)) is not None}
    if any(amount <= 0 for amount in left.values()):
        return None
    place, _, role = request.run_id.rpartition("/")
    return request.model_copy(update={"run_id": f"{place}/second/{role}", **left})


def with_second(first: RoleAnswered, second: RoleAnswered) -> RoleAnswered:
    """Both opinions in one answer: the lower counts; one that came to nothing changes no score."""
    one, other = first.delivery, second.delivery
    assert isinstance(one, Critiqued), "a second opinion follows a first"
    return first.model_copy(
        update={
            "delivery": lower(one, other) if isinstance(other, Critiqued) else one,
            "calls": first.calls + second.calls,
            "tokens": first.tokens + second.tokens,
            "cost_micros": first.cost_micros + second.cost_micros,
            "unknown_prices": first.unknown_prices + second.unknown_prices,
            "second_call": second.call,
        }
    )


def answer_of(request: AskRole, briefed: Briefed, run: Run, now: datetime) -> RoleAnswered:
    """Make the answer of the role from its run."""
    ended, has = result(run), has_delivered(run)
    why = None if has else _why_nothing(request, run)
    spent = ended.spent
    unanswered = not has and _is_unanswered(request, ended)
    return RoleAnswered(
        request=request,
        briefed=briefed,
        delivery=delivered(run, _KINDS[request.role]) if has else None,
        code=why.code if why else "",
        message=why.message if why else "",
        # A provider that is not to be had answers nothing, and costs nothing.
        useless=unanswered or (not has and ended.outcome == "failed" and run.state.turns > 0),
        cut=not has and ended.outcome == "cancelled",
        capped=not has and ended.outcome == "budget" and not unanswered,
        calls=spent.model_calls,
        tokens=spent.input_tokens + spent.output_tokens,
        cost_micros=spent.cost_micros,
        unknown_prices=spent.unknown_prices,
        call=_call(request, ended, now),
        unshown=run.state.unshown,
    )


def _is_unanswered(request: AskRole, ended: AgentRunResult) -> bool:
    """Whether the role used up the calls of one action, which is no limit of the loop's run."""
    left = request.calls_left
    return ended.code == "model-calls-spent" and (left is None or left >= MODEL_CALLS)


def _why_nothing(request: AskRole, run: Run) -> Cause:
    if not _is_unanswered(request, result(run)):
        return failure_cause(run)
    tools = sorted({each.tool for each in run.state.outcomes})
    if tools:
        said = f"the model called {', '.join(map(repr, tools))}, which it was not offered, and gave no answer"
        return Cause(code="called-a-tool", message=said)
    said = f"the model gave no answer in {MODEL_CALLS} calls"
    return Cause(code="no-answer", message=said)


def _call(request: AskRole, ended: AgentRunResult, now: datetime) -> CallEntry:
    return CallEntry(
        op_id=OpId(request.run_id),
        run=request.run_name,
        at=now,
        role=request.role,
        agent=ended.agent,
        outcome=ended.outcome,
        code=ended.code,
        head=ended.head,
        calls=ended.spent.model_calls,
        models=ended.models,
        input_tokens=ended.spent.input_tokens,
        output_tokens=ended.spent.output_tokens,
        cost_micros=ended.spent.cost_micros,
        unknown_prices=ended.spent.unknown_prices,
    )
