"""Evals: samples, results of samples, reports and comparisons."""

from typing import Annotated, Literal

from pydantic import Field, JsonValue, StringConstraints

from schemas.base import BlobRef, Value

SampleId = Annotated[str, StringConstraints(max_length=200, pattern=r"^[^\x00-\x1f\x7f]+$")]
Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]


class Sample(Value):
    """One input for an agent, and the expected answer for its evaluators."""

    id: SampleId
    input: JsonValue
    expected: JsonValue = None


class Dataset(Value):
    """Samples in the order of their file; no two share an id."""

    samples: tuple[Sample, ...]
    digest: str


class Score(Value):
    """Score of one answer."""

    value: Share
    passed: bool
    reason: str = ""
    """Reason why the score is not higher."""


class SampleResult(Value):
    """Result of one sample."""

    sample: SampleId
    content: str
    """Digest of the sample and of its evaluators; only results of the same digest are compared."""
    outcome: Literal["passed", "failed", "crashed"]
    value: Share = 0.0
    reason: str = ""
    """Reason why it did not pass; for a crash, the error message."""
    code: str = ""
    """Error code of a crash."""
    tokens: int = 0
    cost_micros: int | None = 0
    """Millionths of a US dollar; None if the price is unknown."""
    output: BlobRef | None = None


class EvalReport(Value):
    """Summary of the finished samples of a run. A crash counts as a failure and is also listed separately."""

    name: str
    total: int
    """Samples of the dataset."""
    passed: int
    failed: int
    crashed: int
    pass_rate: float | None
    """Share of finished samples, including crashes, that passed; None while none is finished."""
    low: float = 0.0
    high: float = 1.0
    """``low`` to ``high``: 95 % confidence interval of the pass rate."""
    mean_value: float | None = None
    """Mean score over the same samples; a crash counts as 0."""
    failures: tuple[SampleResult, ...] = ()
    crashes: tuple[SampleResult, ...] = ()
    unfinished: tuple[str, ...] = ()
    """Ids without a result: the run was interrupted or is still running."""
    tokens: int = 0
    cost_micros: int = 0
    unknown_prices: int = 0


class EvalComparison(Value):
    """Comparison of two runs over the samples that both finished."""

    first: str
    second: str
    pairs: int
    both: int
    """Samples that passed in both."""
    only_first: tuple[str, ...]
    """Ids that passed only in the first run."""
    only_second: tuple[str, ...]
    """Ids that passed only in the second run."""
    neither: int
    difference: float
    """Pass rate of the second run minus that of the first, over the pairs."""
    low: float
    high: float
    """``low`` to ``high``: 95 % confidence interval of the difference."""
    verdict: Literal["better", "worse", "undecided"]
    """Verdict on the second run; undecided if the interval contains 0."""
    missing_first: tuple[str, ...] = ()
    """Ids that only the second run has."""
    missing_second: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    """Ids whose sample or evaluators differ between the runs."""
