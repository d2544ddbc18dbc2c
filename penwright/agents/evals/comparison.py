"""Compare two runs sample by sample, with a confidence interval of the difference."""

from collections.abc import Sequence
from math import sqrt
from typing import Literal

from penwright.agents.evals.report import wilson
from penwright.errors import UsageMistake
from schemas.evals import EvalComparison, SampleResult


def compare(
    first: str, before: Sequence[SampleResult], second: str, after: Sequence[SampleResult]
) -> EvalComparison:
    """The second run against the first, over the samples that both finished and that are the same in both.

    Raises:
        UsageMistake: ``nothing-to-compare`` when they share none.
    """
    left, right = ({result.sample: result for result in results} for results in (before, after))
    shared = [sample for sample in left if sample in right]
    pairs = [sample for sample in shared if left[sample].content == right[sample].content]
    if not pairs:
        raise UsageMistake(
            "nothing-to-compare",
            f"The runs {first!r} and {second!r} have finished no sample in common. "
            "Run both over the same dataset, judged in the same way.",
        )
    lost = tuple(each for each in pairs if _passed(left[each]) and not _passed(right[each]))
    gained = tuple(each for each in pairs if _passed(right[each]) and not _passed(left[each]))
    both = sum(_passed(left[each]) and _passed(right[each]) for each in pairs)
    neither = len(pairs) - both - len(lost) - len(gained)
    low, high = paired_interval(both, len(gained), len(lost), neither)
    return EvalComparison(
        first=first,
        second=second,
        pairs=len(pairs),
        both=both,
        only_first=lost,
        only_second=gained,
        neither=neither,
        difference=(len(gained) - len(lost)) / len(pairs),
        low=low,
        high=high,
        verdict=_verdict(low, high),
        missing_first=tuple(sample for sample in right if sample not in left),
        missing_second=tuple(sample for sample in left if sample not in right),
        changed=tuple(sample for sample in shared if left[sample].content != right[sample].content),
    )


def paired_interval(both: int, only_one: int, only_other: int, neither: int) -> tuple[float, float]:
    """Interval of the true difference of two paired rates, the one less the other, with 95 % confidence.

    Newcombe's square-and-add interval with corrected correlation: method 10 in R. G. Newcombe, "Improved
    confidence intervals for the difference between binomial proportions based on paired data", Statistics in
    Medicine 17 (1998), 2635–2650. Right for few samples too, and never empty where all pairs agree.
    """
    pairs = both + only_one + only_other + neither
    one, other = (both + only_one) / pairs, (both + only_other) / pairs
    (one_low, one_high), (other_low, other_high) = (
        wilson(both + only_one, pairs),
        wilson(both + only_other, pairs),
    )
    phi = _correlation(both, only_one, only_other, neither)
    below = _combined(one - one_low, other_high - other, phi)
    above = _combined(other - other_low, one_high - one, phi)
    return one - other - below, one - other + above


def _correlation(both: int, only_one: int, only_other: int, neither: int) -> float:
    """The phi coefficient, drawn towards 0 by half a pair in each cell where it is above."""
    margins = (both + only_one) * (only_other + neither) * (both + only_other) * (only_one + neither)
    if not margins:
        return 0.0
    product: float = both * neither - only_one * only_other
    if product > 0:
        product = max(product - (both + only_one + only_other + neither) / 2, 0)
    return product / sqrt(margins)


def _combined(one: float, other: float, phi: float) -> float:
    return sqrt(max(one * one - 2 * phi * one * other + other * other, 0.0))


def _passed(result: SampleResult) -> bool:
    return result.outcome == "passed"


def _verdict(low: float, high: float) -> Literal["better", "worse", "undecided"]:
    if low > 0:
        return "better"
    return "worse" if high < 0 else "undecided"
