"""Evals: what an agent is asked, how its answers were judged, and what all of them come to."""

from typing import Annotated, Literal

from pydantic import Field, JsonValue, StringConstraints

from schemas.base import BlobRef, Value

SampleId = Annotated[str, StringConstraints(max_length=200, pattern=r"^[^\x00-\x1f\x7f]+$")]
Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]


class Sample(Value):
    """One question, and what its evaluators compare the answer with."""

    id: SampleId
    input: JsonValue
    expected: JsonValue = None


class Dataset(Value):
    """Samples in the order of their file; no two share an id."""

    samples: tuple[Sample, ...]
    digest: str


class Score(Value):
    """How good one answer is."""

    value: Share
    passed: bool
    reason: str = ""
    """Why it is not better."""


class SampleResult(Value):
    """What became of one sample."""

    sample: SampleId
    content: str
    """Digest of the sample and of how it is judged; results are compared only where it is the same."""
    outcome: Literal["passed", "failed", "crashed"]
    value: Share = 0.0
    reason: str = ""
    """Why it did not pass; of a crash, what was raised."""
    code: str = ""
    """Of a crash."""
    tokens: int = 0
    cost_micros: int | None = 0
    """None when the price is unknown."""
    output: BlobRef | None = None


class EvalReport(Value):
    """What the finished samples of a run come to. A crash is a failure, and listed by itself as well."""

    name: str
    total: int
    """Samples of the dataset."""
    passed: int
    failed: int
    crashed: int
    pass_rate: float | None
    """Passed of all finished ones, crashes included; None while none is finished."""
    low: float = 0.0
    high: float = 1.0
    """Where the true rate lies with 95 % confidence."""
    mean_value: float | None = None
    """Over the same samples; a crash is worth nothing."""
    failures: tuple[SampleResult, ...] = ()
    crashes: tuple[SampleResult, ...] = ()
    unfinished: tuple[str, ...] = ()
    """Ids without a result: the run was interrupted, or is under way."""
    tokens: int = 0
    cost_micros: int = 0
    unknown_prices: int = 0


class EvalComparison(Value):
    """Two runs over the samples that both finished."""

    first: str
    second: str
    pairs: int
    both: int
    """Samples that passed in both."""
    only_first: tuple[str, ...]
    """What the second one lost."""
    only_second: tuple[str, ...]
    """What the second one gained."""
    neither: int
    difference: float
    """Pass rate of the second run less that of the first, over the pairs."""
    low: float
    high: float
    """Where the true difference lies with 95 % confidence."""
    verdict: Literal["better", "worse", "undecided"]
    """Of the second run; undecided while the interval holds 0."""
    missing_first: tuple[str, ...] = ()
    """Ids that only the second run has."""
    missing_second: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    """Ids that both have, but asked or judged differently."""
