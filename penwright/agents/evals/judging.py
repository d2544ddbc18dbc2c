"""The result of one sample, and evaluators by their description."""

from collections.abc import Mapping
from typing import TypedDict

from pydantic import JsonValue

from penwright.agents.evals.conduct import tools_succeeded, tools_used, within_budget
from penwright.agents.evals.evaluators import (
    Evaluator,
    Observation,
    all_of,
    any_of,
    bad_evaluator,
    contains,
    exact,
    json_field,
    matches,
)
from schemas.agent_run import RunUsage
from schemas.evals import Sample, SampleResult

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
