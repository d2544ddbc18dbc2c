"""The report over a run's results. A crash counts as a failure."""

from collections.abc import Sequence
from math import sqrt

from schemas.evals import EvalReport, SampleResult

CONFIDENCE_95 = 1.959963984540054
"""Standard deviations on either side that hold 95 % of a normal distribution."""


def report(name: str, samples: Sequence[str], results: Sequence[SampleResult]) -> EvalReport:
    """The report of a run over a dataset's samples, by their ids; results of other samples do not count."""
    known = {result.sample: result for result in results}
    finished = [known[sample] for sample in samples if sample in known]
    passed = sum(result.outcome == "passed" for result in finished)
    low, high = wilson(passed, len(finished))
    return EvalReport(
        name=name,
        total=len(samples),
        passed=passed,
        failed=len(finished) - passed - sum(result.outcome == "crashed" for result in finished),
        crashed=sum(result.outcome == "crashed" for result in finished),
        pass_rate=passed / len(finished) if finished else None,
        low=low,
        high=high,
        mean_value=sum(result.value for result in finished) / len(finished) if finished else None,
        failures=tuple(result for result in finished if result.outcome == "failed"),
        crashes=tuple(result for result in finished if result.outcome == "crashed"),
        unfinished=tuple(sample for sample in samples if sample not in known),
        tokens=sum(result.tokens for result in finished),
        cost_micros=sum(result.cost_micros or 0 for result in finished),
        unknown_prices=sum(result.cost_micros is None for result in finished),
    )


def wilson(passed: int, of: int) -> tuple[float, float]:
    """Interval of the true rate with 95 % confidence; 0 and 1 for none of none.

    Wilson's score interval without continuity correction; method 3 in R. G. Newcombe, "Two-sided confidence
    intervals for the single proportion", Statistics in Medicine 17 (1998), 857–872.
    """
    if not of:
        return 0.0, 1.0
    z, rate = CONFIDENCE_95, passed / of
    middle = (2 * passed + z * z) / (2 * (of + z * z))
    half = z * sqrt(z * z + 4 * passed * (1 - rate)) / (2 * (of + z * z))
    # Rounding would leave the ends a hair outside or inside of what they are exactly.
    low = 0.0 if passed == 0 else middle - half
    high = 1.0 if passed == of else middle + half
    return low, high
