"""Port of the results of evals."""

from collections.abc import Mapping
from typing import Protocol

from schemas.evals import SampleResult


class EvalResults(Protocol):
    """Results of evals by run, sample and the digest of the sample's inputs."""

    def put(self, run: str, inputs: str, result: SampleResult) -> SampleResult:
        """Store ``result`` unless there is one for the key; returns the stored one."""
        ...

    def get(self, run: str, sample: str, inputs: str) -> SampleResult | None:
        """Return the result of a sample; None if it has not finished with these inputs."""
        ...

    def finished(self, run: str, wanted: Mapping[str, str]) -> tuple[SampleResult, ...]:
        """Return the results for ``wanted`` (sample -> inputs) that are finished, ordered by sample."""
        ...
