"""A24: a report counts crashes as failures, and two runs are compared sample by sample."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penwright.agents.evals.comparison import compare, paired_interval
from penwright.agents.evals.report import report, wilson
from penwright.errors import UsageMistake
from schemas.evals import EvalComparison
from tests.support.agents.evals import Outcome, a_result, results

OUTCOMES: list[Outcome] = ["passed", "failed", "crashed"]
ids = [f"s{number}" for number in range(10)]


def times(count: int, outcome: Outcome) -> list[Outcome]:
    return [outcome] * count


def test_eight_crashes_one_failure_and_one_pass_are_ten_percent() -> None:
    found = report("night", ids, results(*times(8, "crashed"), "failed", "passed"))

    assert found.pass_rate == 0.1
    assert (found.passed, found.failed, found.crashed, found.total) == (1, 1, 8, 10)
    assert found.mean_value == 0.1
    assert [crash.sample for crash in found.crashes] == ids[:8]
    assert [failure.sample for failure in found.failures] == ["s8"]
    assert found.crashes[0].code == "model-down"


@given(outcomes=st.lists(st.sampled_from(OUTCOMES), min_size=1, max_size=30))
def test_a_crash_weighs_as_much_as_a_failure(outcomes: list[Outcome]) -> None:
    names = [f"s{number}" for number in range(len(outcomes))]
    tamed: list[Outcome] = ["failed" if outcome == "crashed" else outcome for outcome in outcomes]

    found, plain = report("a", names, results(*outcomes)), report("a", names, results(*tamed))

    assert (found.pass_rate, found.low, found.high) == (plain.pass_rate, plain.low, plain.high)
    assert found.passed + found.failed + found.crashed == len(outcomes)
    assert found.pass_rate is not None
    assert found.low <= found.pass_rate <= found.high


def test_an_interrupted_run_names_what_is_unfinished_and_rates_the_rest() -> None:
    found = report("night", ids, results("passed", "failed"))

    assert found.unfinished == tuple(ids[2:])
    assert (found.pass_rate, found.total) == (0.5, 10)


def test_a_run_that_finished_nothing_has_no_rate() -> None:
    found = report("night", ids, [])

    assert (found.pass_rate, found.mean_value, found.low, found.high) == (None, None, 0, 1)


def test_results_of_samples_the_dataset_does_not_have_do_not_count() -> None:
    assert report("night", ["s1"], [a_result("s1"), a_result("gone", "crashed")]).crashed == 0


def test_a_report_sums_known_costs_and_counts_unknown_ones() -> None:
    found = report("night", ["a", "b"], [a_result("a"), a_result("b", cost_micros=None)])

    assert (found.tokens, found.cost_micros, found.unknown_prices) == (20, 5, 1)


# The examples of table I in Newcombe's paper on the single proportion.
@pytest.mark.parametrize(
    ("passed", "of", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_the_interval_of_a_rate_is_the_published_one(passed: int, of: int, low: float, high: float) -> None:
    assert wilson(passed, of) == pytest.approx((low, high), abs=5e-5)


# Airway reactions before and after a transplantation (Bentur 2009), responses before and after consolidation
# (Cavo 2012), both as worked out by Fagerland, Lydersen and Laake; Altman's table 6.2; Newcombe's own.
@pytest.mark.parametrize(
    ("cells", "low", "high"),
    [
        ((1, 1, 7, 12), -0.507, -0.026),
        ((59, 6, 16, 80), -0.119, -0.005),
        ((14, 5, 0, 22), 0.0115, 0.2265),
        ((36, 12, 2, 0), 0.0569, 0.3404),
    ],
)
def test_the_interval_of_a_paired_difference_is_the_published_one(
    cells: tuple[int, int, int, int], low: float, high: float
) -> None:
    assert paired_interval(*cells) == pytest.approx((low, high), abs=5e-4)


@given(cells=st.tuples(*[st.integers(0, 60)] * 4).filter(any))
def test_the_interval_holds_the_difference_and_turns_with_the_runs(cells: tuple[int, int, int, int]) -> None:
    both, only_one, only_other, neither = cells
    difference = (only_one - only_other) / sum(cells)

    low, high = paired_interval(*cells)
    turned = paired_interval(both, only_other, only_one, neither)

    assert -1 - 1e-9 <= low <= difference + 1e-9
    assert difference - 1e-9 <= high <= 1 + 1e-9
    assert turned == pytest.approx((-high, -low))
    assert low < high


def test_eval_comparison_uses_common_samples_and_names_the_others() -> None:
    before = [a_result("a"), a_result("b", "failed"), a_result("c", "crashed"), a_result("old")]
    after = [a_result("c"), a_result("b", "crashed"), a_result("a", "failed"), a_result("new")]

    found = compare("monday", before, "tuesday", after)

    assert (found.pairs, found.both, found.neither) == (3, 0, 1)
    assert (found.only_first, found.only_second) == (("a",), ("c",))
    assert (found.missing_first, found.missing_second) == (("new",), ("old",))
    assert found.difference == 0


def test_samples_with_different_input_or_evaluator_are_not_compared() -> None:
    before, after = [a_result("a"), a_result("b")], [a_result("a"), a_result("b", content="another")]

    found = compare("monday", before, "tuesday", after)

    assert (found.pairs, found.changed) == (1, ("b",))


def compared(gained: int, lost: int, both: int = 20) -> EvalComparison:
    before = [*times(gained, "failed"), *times(lost + both, "passed")]
    after = [*times(gained, "passed"), *times(lost, "failed"), *times(both, "passed")]
    return compare("first", results(*before), "second", results(*after))


@pytest.mark.parametrize(
    ("gained", "lost", "verdict"),
    [(12, 0, "better"), (0, 12, "worse"), (1, 0, "undecided"), (6, 6, "undecided")],
)
def test_a_run_is_better_only_when_chance_alone_would_hardly_make_it_so(
    gained: int, lost: int, verdict: str
) -> None:
    found = compared(gained, lost)

    assert found.verdict == verdict
    assert found.difference == pytest.approx((gained - lost) / found.pairs)
    assert found.low <= found.difference <= found.high


def test_runs_that_agree_on_every_sample_still_have_an_interval() -> None:
    found = compared(0, 0, both=10)

    assert found.difference == 0
    assert found.low < 0 < found.high


def test_runs_without_a_sample_in_common_cannot_be_compared() -> None:
    with pytest.raises(UsageMistake) as caught:
        compare("monday", [a_result("a")], "tuesday", [a_result("b")])

    assert caught.value.code == "nothing-to-compare"
    assert "'monday'" in caught.value.message
