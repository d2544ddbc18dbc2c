"""The budget of a run: caps are reserved before a call and settled after it.

One rule holds for every cap, be it total, input or output tokens, calls or money: **something may start
while used plus reserved is below the cap**. Use equal to a cap has spent it. What the last turn will
need is reserved as soon as a first turn shows how much that is, so that a run can still say what it has.

The size of an input is known only when it is sent, so the one turn that reaches a cap may go past it by
its input. Output never does: each turn's prompt says how much is left. The deadline follows the same rule:
the present, plus the time reserved for the last turn, must be before it.
"""

from datetime import datetime, timedelta
from typing import Literal

from schemas.agent_run import BudgetLevel, ModelAnswered, RunLimits, RunUsage
from schemas.base import Cause

Cap = Literal["model-calls", "input-tokens", "output-tokens", "total-tokens", "cost"]

_ESTIMATED = ("input_tokens", "output_tokens", "cost_micros")
_COUNTED = ("model_calls", *_ESTIMATED)

CAPS: tuple[Cap, ...] = ("model-calls", "input-tokens", "output-tokens", "total-tokens", "cost")


def has_room(cap: int | None, used: int, reserved: int = 0) -> bool:
    """Whether something may start under a cap."""
    return cap is None or used + reserved < cap


def cap_of(limits: RunLimits, cap: Cap) -> int | None:
    match cap:
        case "model-calls":
            return limits.model_calls
        case "input-tokens":
            return limits.input_tokens
        case "output-tokens":
            return limits.output_tokens
        case "total-tokens":
            return limits.total_tokens
        case "cost":
            return limits.cost_micros


def used_of(spent: RunUsage, cap: Cap) -> int:
    match cap:
        case "model-calls":
            return spent.model_calls
        case "input-tokens":
            return spent.input_tokens
        case "output-tokens":
            return spent.output_tokens
        case "total-tokens":
            return spent.input_tokens + spent.output_tokens
        case "cost":
            return spent.cost_micros


def reserve_for_last_turn(limits: RunLimits, last: RunUsage | None) -> RunUsage:
    """The reservation for the last turn, estimated from the newest one; empty before the first turn."""
    if last is None:
        return RunUsage()
    return RunUsage(
        model_calls=1,
        input_tokens=last.input_tokens,
        output_tokens=limits.last_turn_tokens,
        cost_micros=last.cost_micros,
    )


def budget_level(limits: RunLimits, spent: RunUsage, reserved: RunUsage) -> tuple[BudgetLevel, Cap | None]:
    """Which turn may start, and the cap that decides it."""
    for cap in CAPS:
        if not has_room(cap_of(limits, cap), used_of(spent, cap)):
            return "spent", cap
    for cap in CAPS:
        if not has_room(cap_of(limits, cap), used_of(spent, cap), used_of(reserved, cap)):
            return "low", cap
    return "free", None


def may_call_tool(limits: RunLimits, spent: RunUsage, reserved: int = 0) -> bool:
    """Whether another tool call may be made besides ``reserved`` running ones."""
    return has_room(limits.tool_calls, spent.tool_calls, reserved)


def output_room(limits: RunLimits, spent: RunUsage, wanted: int, reserved: RunUsage) -> int:
    """Output tokens a turn may use: ``wanted``, or less if the caps minus ``reserved`` leave less."""
    rooms = [wanted]
    for cap in ("output-tokens", "total-tokens"):
        most = cap_of(limits, cap)
        if most is not None:
            rooms.append(most - used_of(spent, cap) - used_of(reserved, cap))
    return max(1, min(rooms))


def turn_use(answer: ModelAnswered) -> RunUsage:
    """The usage of a turn's last attempt."""
    return RunUsage(
        model_calls=1,
        input_tokens=answer.input_tokens,
        output_tokens=answer.output_tokens,
        cost_micros=answer.cost_micros or 0,
        unknown_prices=int(answer.cost_micros is None),
    )


def failed_before(answer: ModelAnswered) -> RunUsage:
    """Usage of failed attempts before this answer; one that did not tell, as much as it."""
    return add_usage(answer.failed_use, _times(turn_use(answer), answer.failed_attempts))


def failed_use(cause: Cause) -> RunUsage:
    """Usage of a failed turn's attempts, as counted on the worker; by an older one, estimated."""
    if "model_calls" in cause.details:
        return RunUsage(**{name: int(cause.details.get(name) or 0) for name in _COUNTED})
    use = {name: int(cause.details.get(name) or 0) for name in _ESTIMATED}
    return _times(RunUsage(model_calls=1, **use), int(cause.details.get("attempts") or 0))


def _times(use: RunUsage, number: int) -> RunUsage:
    return RunUsage(**{name: getattr(use, name) * number for name in RunUsage.model_fields})


def add_usage(spent: RunUsage, more: RunUsage) -> RunUsage:
    return RunUsage(**{name: getattr(spent, name) + getattr(more, name) for name in RunUsage.model_fields})


def share(limits: RunLimits, wanted: RunLimits, spent: RunUsage, *, among: int) -> RunLimits:
    """Limits of a sub-agent: its own, at most an equal share of what is left."""
    caps = {
        name: _least(getattr(wanted, name), _part(getattr(limits, name), used, among))
        for name, used in _use_by_limit(spent).items()
    }
    deadline = _earlier(wanted.deadline, turn_deadline(limits, winding=False))
    return wanted.model_copy(
        update={**caps, "deadline": deadline, "depth": min(wanted.depth, limits.depth - 1)}
    )


def _use_by_limit(spent: RunUsage) -> dict[str, int]:
    return {
        "model_calls": spent.model_calls,
        "tool_calls": spent.tool_calls,
        "input_tokens": spent.input_tokens,
        "output_tokens": spent.output_tokens,
        "total_tokens": spent.input_tokens + spent.output_tokens,
        "cost_micros": spent.cost_micros,
    }


def _part(cap: int | None, used: int, among: int) -> int | None:
    return None if cap is None else max(0, cap - used) // max(1, among)


def is_empty(limits: RunLimits) -> bool:
    """Whether a run with these limits could not make a single turn."""
    return budget_level(limits, RunUsage(), RunUsage())[0] == "spent"


def _least(*caps: int | None) -> int | None:
    return min((cap for cap in caps if cap is not None), default=None)


def _earlier(*times: datetime | None) -> datetime | None:
    return min((time for time in times if time is not None), default=None)


def turn_deadline(limits: RunLimits, *, winding: bool) -> datetime | None:
    """Return when this turn must end: the deadline, less the time reserved for a last turn to come."""
    if limits.deadline is None or winding:
        return limits.deadline
    return limits.deadline - timedelta(seconds=limits.last_turn_s)


def cap_cause(cap: Cap, limits: RunLimits) -> Cause:
    """The cause that names a spent cap."""
    most = cap_of(limits, cap) or 0
    may = f"cost at most ${most / 1_000_000:.4f}" if cap == "cost" else f"use at most {most} {_WORDS[cap]}"
    return Cause(code=f"{cap}-spent", message=f"the run may {may}; raise the limit to let it go on")


_WORDS: dict[Cap, str] = {
    "model-calls": "model calls",
    "input-tokens": "input tokens",
    "output-tokens": "output tokens",
    "total-tokens": "tokens",
}
