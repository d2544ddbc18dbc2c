"""Evaluators of a run's conduct: the tools it called, and its usage."""

from pydantic import JsonValue

from penwright.agents.evals.evaluators import Evaluator, Observation, all_or_nothing, bad_evaluator, share
from schemas.evals import Score


def tools_used(*names: str) -> Evaluator:
    """Each tool was called with success at least once; worth the share of those that were."""
    if not names:
        raise bad_evaluator("tools_used names no tool")

    def evaluate(observation: Observation, expected: JsonValue) -> Score:
        used = {outcome.tool for outcome in observation.outcomes if outcome.kind == "succeeded"}
        missing = [name for name in names if name not in used]
        return share(len(names) - len(missing), len(names), f"never succeeded: {', '.join(missing)}")

    return evaluate


def tools_succeeded(observation: Observation, expected: JsonValue) -> Score:
    """Every call succeeded; worth the share that did."""
    failed = [each for each in observation.outcomes if each.kind != "succeeded"]
    count = len(observation.outcomes)
    listed = ", ".join(f"{each.tool} (call {each.number}, {each.kind})" for each in failed[:5])
    return share(count - len(failed), count, f"did not succeed: {listed}")


def within_budget(
    *,
    cost_micros: int | None = None,
    tokens: int | None = None,
    model_calls: int | None = None,
    tool_calls: int | None = None,
) -> Evaluator:
    """The run used no more than this; exactly as much is within. An unknown price is never within."""

    def evaluate(observation: Observation, expected: JsonValue) -> Score:
        spent = observation.spent
        used = {
            "micros": (spent.cost_micros, cost_micros),
            "tokens": (spent.input_tokens + spent.output_tokens, tokens),
            "model calls": (spent.model_calls, model_calls),
            "tool calls": (spent.tool_calls, tool_calls),
        }
        over = [f"{n} {what} of {cap}" for what, (n, cap) in used.items() if cap is not None and n > cap]
        if cost_micros is not None and spent.unknown_prices:
            over.append(f"{spent.unknown_prices} calls of unknown price")
        return all_or_nothing(not over, f"used {', '.join(over)}")

    return evaluate
