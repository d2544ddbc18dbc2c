"""Evals in the store: plans, results and reports."""

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import ValidationError

from penwright.agents.evals.dataset import read_dataset
from penwright.agents.evals.planning import Planned, planned
from penwright.agents.evals.report import report
from penwright.agents.evals.running import name_of
from penwright.errors import NotFound
from penwright.ports.blobs import Blobs
from penwright.ports.evals import EvalResults
from penwright.ports.records import Records
from schemas.eval_run import EvalPlan
from schemas.evals import Dataset, EvalReport, SampleResult

_LATEST = 20
"""Starts of an eval looked through for one that was opened."""


@dataclass(frozen=True)
class EvalArchive:
    """Evals by id. The newest start of an eval has its plan."""

    records: Records
    results: EvalResults
    blobs: Blobs

    def plan_of(self, eval_id: str) -> EvalPlan:
        """The plan of the newest start; ``NotFound`` ``unknown-eval``."""
        for row in self.records.runs(subject=name_of(eval_id), limit=_LATEST):
            try:
                return EvalPlan.model_validate(row.detail["plan"])
            except (KeyError, ValidationError):
                continue
        raise NotFound(
            "unknown-eval",
            f"there is no eval {eval_id!r}",
            hint="`penwright eval run DATASET --agent AGENT` prints the id of each eval that it starts",
        )

    def dataset(self, plan: EvalPlan) -> Dataset:
        return read_dataset(self.blobs.get(plan.dataset), plan.dataset_name)

    def planned(self, plan: EvalPlan) -> tuple[Planned, ...]:
        """Every sample of the eval, in the order of the dataset."""
        return planned(self.dataset(plan), plan.judged_by, plan.pinned)

    def finished(self, plan: EvalPlan, samples: Sequence[Planned]) -> tuple[SampleResult, ...]:
        """The stored results of those samples that were run with the same inputs."""
        wanted = {each.sample.id: each.inputs for each in samples}
        return self.results.finished(name_of(plan.eval_id), wanted) if wanted else ()

    def report(self, plan: EvalPlan) -> EvalReport:
        samples = self.planned(plan)
        return report(plan.eval_id, [each.sample.id for each in samples], self.finished(plan, samples))
