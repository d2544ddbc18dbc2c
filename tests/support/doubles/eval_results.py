"""In-memory double of the table of eval results, for one process."""

from collections.abc import Mapping

from penwright.adapters.store.eval_results import check_names
from schemas.evals import SampleResult


class MemoryEvalResults:
    """Implements ``EvalResults``."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str, str], SampleResult] = {}

    def put(self, run: str, inputs: str, result: SampleResult) -> SampleResult:
        check_names(run, inputs)
        return self._kept.setdefault((run, result.sample, inputs), result)

    def get(self, run: str, sample: str, inputs: str) -> SampleResult | None:
        check_names(run, sample, inputs)
        return self._kept.get((run, sample, inputs))

    def finished(self, run: str, wanted: Mapping[str, str]) -> tuple[SampleResult, ...]:
        check_names(run, *wanted, *wanted.values())
        found = (self._kept.get((run, sample, inputs)) for sample, inputs in sorted(wanted.items()))
        return tuple(result for result in found if result is not None)

    def of_run(self, run: str) -> tuple[SampleResult, ...]:
        check_names(run)
        newest = {sample: result for (name, sample, _), result in self._kept.items() if name == run}
        return tuple(newest[sample] for sample in sorted(newest))
