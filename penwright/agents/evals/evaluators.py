"""Evaluators: pure functions of an observation and the expected value, which return a score."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import regex  # unlike re, it can give up on a pattern that runs away
from pydantic import JsonValue

from penwright.agents.digests import canonical_json
from penwright.errors import UsageMistake
from schemas.agent import CallOutcome, SerializedState
from schemas.agent_run import RunUsage
from schemas.evals import Score

_SLOWEST_S = 1.0
"""A pattern that takes longer has run away; this, not the score, is where a clock comes in."""
_SHOWN = 80


@dataclass(frozen=True, slots=True)
class Observation:
    """The output and conduct of a run."""

    output: JsonValue
    """Text, or the JSON of the agent's output type."""
    outcomes: tuple[CallOutcome, ...] = ()
    """Of its tool calls, in their order."""
    state: SerializedState = field(default_factory=SerializedState)
    spent: RunUsage = field(default_factory=RunUsage)


Evaluator = Callable[[Observation, JsonValue], Score]
"""Scores an observation against the expected value of its sample."""


def exact(observation: Observation, expected: JsonValue) -> Score:
    """The output is the expected value, as JSON: 1 is not true, and the order of keys does not count."""
    same = canonical_json(observation.output) == canonical_json(expected)
    return all_or_nothing(same, f"expected {_shown(expected)}, got {_shown(observation.output)}")


def contains(observation: Observation, expected: JsonValue) -> Score:
    """The output has every expected text in it, whatever the case; worth the share that it has."""
    wanted = expected if isinstance(expected, list) else [expected]
    text = _text(observation.output).casefold()
    missing = [each for each in wanted if _text(each).casefold() not in text]
    return share(len(wanted) - len(missing), len(wanted), f"lacks {', '.join(map(_shown, missing))}")


def matches(pattern: str) -> Evaluator:
    """The output matches a regular expression somewhere."""
    try:
        compiled = regex.compile(pattern)
    except regex.error as error:
        raise bad_evaluator(f"the pattern {pattern[:_SHOWN]!r} is invalid: {error}") from None

    def evaluate(observation: Observation, expected: JsonValue) -> Score:
        try:
            found = compiled.search(_text(observation.output), timeout=_SLOWEST_S)
        except TimeoutError:
            return Score(value=0, passed=False, reason=f"{pattern[:_SHOWN]!r} takes too long on this output")
        return all_or_nothing(found is not None, f"nothing matches {pattern[:_SHOWN]!r}")

    return evaluate


def json_field(path: str) -> Evaluator:
    """The field at a dotted path is the same in the output as in what is expected."""
    keys = path.split(".")

    def evaluate(observation: Observation, expected: JsonValue) -> Score:
        wanted, got = _at(expected, keys), _at(observation.output, keys)
        if wanted is None:
            return Score(value=0, passed=False, reason=f"the sample expects nothing at {path!r}")
        if got is None:
            return Score(value=0, passed=False, reason=f"the output has nothing at {path!r}")
        same = canonical_json(got[0]) == canonical_json(wanted[0])
        return all_or_nothing(same, f"{path}: expected {_shown(wanted[0])}, got {_shown(got[0])}")

    return evaluate


def all_of(*evaluators: Evaluator) -> Evaluator:
    """Passes if all do; worth their mean."""
    return _combined(evaluators, all, lambda values: sum(values) / len(values))


def any_of(*evaluators: Evaluator) -> Evaluator:
    """Passes if one does; worth the best."""
    return _combined(evaluators, any, max)


def _combined(
    evaluators: Sequence[Evaluator],
    passed: Callable[[Sequence[bool]], bool],
    worth: Callable[[Sequence[float]], float],
) -> Evaluator:
    if not evaluators:
        raise bad_evaluator("a combination of no evaluators judges nothing")

    def evaluate(observation: Observation, expected: JsonValue) -> Score:
        scores = [each(observation, expected) for each in evaluators]
        good = passed([score.passed for score in scores])
        why = "" if good else "; ".join(score.reason for score in scores if not score.passed)
        return Score(value=worth([score.value for score in scores]), passed=good, reason=why)

    return evaluate


def all_or_nothing(passed: bool, reason: str) -> Score:
    return Score(value=float(passed), passed=passed, reason="" if passed else reason)


def share(good: int, of: int, reason: str) -> Score:
    """None of none is all."""
    return Score(value=good / of if of else 1.0, passed=good == of, reason="" if good == of else reason)


def _at(value: JsonValue, keys: Sequence[str]) -> tuple[JsonValue] | None:
    """The values at a path, as a one-element list; None if the path does not exist, unlike a null there."""
    for key in keys:
        if isinstance(value, dict) and key in value:
            value = value[key]
        elif isinstance(value, list) and key.isdecimal() and int(key) < len(value):
            value = value[int(key)]
        else:
            return None
    return (value,)


def _text(value: JsonValue) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _shown(value: JsonValue) -> str:
    text = _text(value)
    return repr(text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…")


def bad_evaluator(why: str) -> UsageMistake:
    return UsageMistake("bad-evaluator", f"The evaluator cannot be used: {why}. Fix its description.")
