"""The result of one sample, and evaluators by their description."""

from collections.abc import Mapping
from typing import TypedDict

from pydantic import JsonValue

from penwright.agents.evals.evaluators import (
    Evaluator,
    Observation,
    all_of,
    all_or_nothing,
    any_of,
    bad_evaluator,
    contains,
    exact,
    json_field,
    matches,
    share,
)
from schemas.agent_run import RunUsage
from schemas.evals import Sample, SampleResult, Score


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


_DEEPEST = 20
_CAPS = frozenset({"cost_micros", "tokens", "model_calls", "tool_calls"})
_PLAIN: Mapping[str, Evaluator] = {"exact": exact, "contains": contains, "tools_succeeded": tools_succeeded}


def judged(sample: Sample, content: str, evaluator: Evaluator, observation: Observation) -> SampleResult:
    """The result of a sample whose run ended; an evaluator that raises makes it a crash."""
    try:
        score = evaluator(observation, sample.expected)
    except Exception as error:  # whatever an evaluator's own code raises
        message = f"The evaluator raised {type(error).__name__}: {error}"
        return crashed(sample, content, "evaluator-failed", message, observation.spent)
    return SampleResult(
        sample=sample.id,
        content=content,
        outcome="passed" if score.passed else "failed",
        value=score.value,
        reason=score.reason,
        **_used(observation.spent),
    )


def crashed(
    sample: Sample, content: str, code: str, message: str, spent: RunUsage | None = None
) -> SampleResult:
    """The result of a sample whose run has no answer."""
    return SampleResult(
        sample=sample.id,
        content=content,
        outcome="crashed",
        code=code,
        reason=message[:2_000],
        **_used(spent or RunUsage()),
    )


def read_evaluator(description: JsonValue, depth: int = 0) -> Evaluator:
    """The evaluator that JSON describes.

    A name (``"exact"``, ``"contains"``, ``"tools_succeeded"``), or an object with one key:
    ``{"matches": "…"}``, ``{"json_field": "a.b"}``, ``{"tools_used": ["…"]}``, ``{"all_of": […]}``,
    ``{"any_of": […]}``, ``{"within_budget": {"tokens": 9000}}``.

    Raises:
        UsageMistake: ``bad-evaluator``, naming what cannot be understood.
    """
    if isinstance(description, str) and description in _PLAIN:
        return _PLAIN[description]
    if depth > _DEEPEST or not isinstance(description, dict) or len(description) != 1:
        raise bad_evaluator(f"{str(description)[:80]!r} does not describe one")
    kind, given = next(iter(description.items()))
    if kind == "matches" and isinstance(given, str):
        return matches(given)
    if kind == "json_field" and isinstance(given, str):
        return json_field(given)
    if kind == "tools_used":
        return tools_used(*_names(given))
    if kind in ("all_of", "any_of") and isinstance(given, list):
        inner = [read_evaluator(each, depth + 1) for each in given]
        return all_of(*inner) if kind == "all_of" else any_of(*inner)
    if kind == "within_budget":
        return within_budget(**_caps(given))
    raise bad_evaluator(f"{kind[:80]!r} is unknown, or cannot take {str(given)[:80]!r}")


def _names(given: JsonValue) -> list[str]:
    if not isinstance(given, list):
        raise bad_evaluator("tools_used takes a list of names")
    names = [name for name in given if isinstance(name, str)]
    if len(names) < len(given):
        raise bad_evaluator("tools_used takes names, as text")
    return names


def _caps(given: JsonValue) -> dict[str, int]:
    if not isinstance(given, dict) or not given or given.keys() - _CAPS:
        raise bad_evaluator(f"within_budget takes some of {', '.join(sorted(_CAPS))}")
    caps = {name: cap for name, cap in given.items() if isinstance(cap, int) and not isinstance(cap, bool)}
    if len(caps) < len(given) or min(caps.values()) < 0:
        raise bad_evaluator("within_budget takes whole numbers, 0 or more")
    return caps


class _Used(TypedDict):
    tokens: int
    cost_micros: int | None


def _used(spent: RunUsage) -> _Used:
    cost = None if spent.unknown_prices else spent.cost_micros
    return {"tokens": spent.input_tokens + spent.output_tokens, "cost_micros": cost}
