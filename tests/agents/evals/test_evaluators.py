"""Evaluators judge the result and the course of a run."""

from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from penwright.agents.evals.evaluators import (
    Evaluator,
    Observation,
    all_of,
    any_of,
    contains,
    exact,
    json_field,
    matches,
)
from penwright.agents.evals.judging import (
    crashed,
    judged,
    read_evaluator,
    tools_succeeded,
    tools_used,
    within_budget,
)
from penwright.errors import UsageMistake
from schemas.agent_run import RunUsage
from schemas.evals import Score
from tests.support.agents.evals import a_sample, an_outcome, observed
from tests.support.each import for_each

DAWN: JsonValue = {"title": "Dawn", "scenes": [{"words": 3}], "notes": None}
GREY = "The grey dawn came."


@for_each(
    "evaluator, output, expected, value",
    [
        (exact, GREY, GREY, 1),
        (exact, GREY, "the grey dawn came.", 0),
        (exact, {"a": 1, "b": 2}, {"b": 2, "a": 1}, 1),
        (exact, 1, True, 0),
        (exact, 1, 1.0, 0),
        (exact, None, None, 1),
        (contains, GREY, "GREY", 1),
        (contains, GREY, ["grey", "dawn", "red", "noon"], 0.5),
        (contains, DAWN, "dawn", 1),
        (contains, GREY, [], 1),
        (matches(r"\bdawn\b"), GREY, None, 1),
        (matches(r"^dawn"), GREY, None, 0),
        (json_field("title"), DAWN, {"title": "Dawn"}, 1),
        (json_field("title"), DAWN, {"title": "Noon"}, 0),
        (json_field("scenes.0.words"), DAWN, {"scenes": [{"words": 3}]}, 1),
        (json_field("scenes.1.words"), DAWN, {"scenes": [{}, {"words": 3}]}, 0),
        (json_field("notes"), DAWN, {"notes": None}, 1),
        (json_field("missing"), DAWN, {"missing": None}, 0),
        (json_field("title"), DAWN, "Dawn", 0),
        (json_field("title"), GREY, {"title": "Dawn"}, 0),
    ],
)
def test_an_output_scores_its_share_of_the_expected_value(
    evaluator: Evaluator, output: JsonValue, expected: JsonValue, value: float
) -> None:
    score = evaluator(observed(output), expected)

    assert score.value == value
    assert score.passed == (value == 1)
    assert bool(score.reason) != score.passed


def test_a_reason_shows_the_difference_within_a_length_limit() -> None:
    score = json_field("title")(observed({"title": "x" * 100_000}), {"title": "Noon"})

    assert "'Noon'" in score.reason
    assert len(score.reason) < 300


def test_a_pattern_that_runs_away_fails_instead_of_hanging() -> None:
    began = perf_counter()

    score = matches(r"(a|aa)+$|(a+)+b\1")(observed("a" * 5_000 + "!"), None)

    assert not score.passed
    assert perf_counter() - began < 10


CALLS = (
    an_outcome("read_chapter", number=1),
    an_outcome("search", "failed", number=2),
    an_outcome("search", "denied", number=3),
)


@pytest.mark.parametrize(
    ("evaluator", "value"),
    [
        (tools_used("read_chapter"), 1),
        (tools_used("read_chapter", "search"), 0.5),
        (tools_used("publish"), 0),
        (tools_succeeded, pytest.approx(1 / 3)),
    ],
)
def test_only_calls_that_succeeded_count(evaluator: Evaluator, value: float) -> None:
    score = evaluator(observed("", *CALLS), None)

    assert score.value == value
    assert score.passed == (value == 1)


def test_a_run_without_calls_has_no_failed_calls() -> None:
    assert tools_succeeded(observed(), None).passed


SPENT = RunUsage(model_calls=3, tool_calls=4, input_tokens=70, output_tokens=30, cost_micros=500)


@for_each(
    "caps, passed",
    [
        ({"cost_micros": 500, "tokens": 100, "model_calls": 3, "tool_calls": 4}, True),
        ({"cost_micros": 499}, False),
        ({"tokens": 99}, False),
        ({"model_calls": 2}, False),
        ({"tool_calls": 3}, False),
        ({}, True),
    ],
)
def test_exactly_as_much_as_allowed_is_within_the_budget(caps: dict[str, int], passed: bool) -> None:
    assert within_budget(**caps)(observed(spent=SPENT), None).passed is passed


def test_an_unknown_price_is_never_within_a_cost_budget() -> None:
    spent = SPENT.model_copy(update={"unknown_prices": 1})

    assert not within_budget(cost_micros=10_000)(observed(spent=spent), None).passed
    assert within_budget(tokens=10_000)(observed(spent=spent), None).passed


def worth(value: float, passed: bool) -> Evaluator:
    return lambda observation, expected: Score(
        value=value, passed=passed, reason="" if passed else f"only {value}"
    )


@given(
    scores=st.lists(st.tuples(st.floats(0, 1, allow_subnormal=False), st.booleans()), min_size=1, max_size=6)
)
def test_all_is_the_mean_and_any_the_best(scores: list[tuple[float, bool]]) -> None:
    evaluators = [worth(*score) for score in scores]

    every, some = all_of(*evaluators)(observed(), None), any_of(*evaluators)(observed(), None)

    assert every.value == pytest.approx(sum(value for value, _ in scores) / len(scores))
    assert some.value == max(value for value, _ in scores)
    assert every.passed == all(passed for _, passed in scores)
    assert some.passed == any(passed for _, passed in scores)


def raising(observation: Observation, expected: JsonValue) -> Score:
    raise KeyError("title")


def overrating(observation: Observation, expected: JsonValue) -> Score:
    return Score(value=2, passed=True)


@pytest.mark.parametrize(("evaluator", "named"), [(raising, "KeyError"), (overrating, "value")])
def test_an_evaluator_that_raises_is_a_crash_of_its_sample(evaluator: Evaluator, named: str) -> None:
    result = judged(a_sample(), "content", evaluator, observed(GREY, spent=SPENT))

    assert (result.outcome, result.code, result.value) == ("crashed", "evaluator-failed", 0)
    assert named in result.reason
    assert result.tokens == 100


def test_a_result_holds_its_evaluator_and_cost() -> None:
    passed = judged(a_sample(), "content", contains, observed(GREY, spent=SPENT))
    failed = judged(a_sample(expected="red"), "content", contains, observed(GREY))

    assert (passed.sample, passed.content, passed.outcome, passed.value) == ("s1", "content", "passed", 1)
    assert (passed.tokens, passed.cost_micros) == (100, 500)
    assert (failed.outcome, failed.reason) == ("failed", "lacks 'red'")


def test_a_crash_of_unknown_price_stays_of_unknown_price() -> None:
    result = crashed(a_sample(), "content", "model-down", "x" * 10_000, RunUsage(unknown_prices=1))

    assert (result.outcome, result.code, result.cost_micros) == ("crashed", "model-down", None)
    assert len(result.reason) == 2_000


@for_each(
    "description, passes, fails",
    [
        ("exact", observed("grey"), observed(GREY)),
        ("contains", observed(GREY), observed("red")),
        ("tools_succeeded", observed(), observed("", *CALLS)),
        ({"matches": "gr[ae]y"}, observed(GREY), observed("red")),
        ({"tools_used": ["read_chapter"]}, observed("", *CALLS), observed()),
        ({"within_budget": {"tokens": 99}}, observed(), observed(spent=SPENT)),
        ({"all_of": ["contains", {"matches": "^The"}]}, observed(GREY), observed("grey")),
        ({"any_of": ["exact", {"all_of": ["contains"]}]}, observed(GREY), observed("red")),
    ],
)
def test_an_evaluator_can_be_described_as_json(
    description: JsonValue, passes: Observation, fails: Observation
) -> None:
    evaluator = read_evaluator(description)

    assert evaluator(passes, "grey").passed
    assert not evaluator(fails, "grey").passed


def nested(depth: int) -> JsonValue:
    description: JsonValue = "exact"
    for _ in range(depth):
        description = {"all_of": [description]}
    return description


@for_each(
    "description",
    [
        *("", "exactly", None, 7, [], {}, {"exact": True}, {"all_of": "exact"}, {"all_of": []}),
        *({"matches": "("}, {"matches": 7}, {"json_field": 7}, {"tools_used": []}, {"tools_used": [7]}),
        *({"tools_used": "search"}, {"within_budget": {}}, {"within_budget": {"tokns": 7}}),
        *({"within_budget": {"tokens": True}}, {"within_budget": {"tokens": -1}}, {"matches": "a", "b": 1}),
        *({"any_of": ["exact", "exactly"]}, {"within_budget": 7}, nested(50)),
    ],
)
def test_an_invalid_evaluator_description_is_refused(description: JsonValue) -> None:
    with pytest.raises(UsageMistake) as caught:
        read_evaluator(description)

    assert caught.value.code == "bad-evaluator"
