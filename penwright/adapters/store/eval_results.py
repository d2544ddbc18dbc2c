"""Results of evals, so that an interrupted run can resume."""

import re
from collections.abc import Mapping

from sqlalchemy import text

from penwright.adapters.store.database import Database
from penwright.errors import UsageMistake
from penwright.ports.clock import Clock
from schemas.evals import SampleResult

_NAME = re.compile(r"[^\x00-\x1f\x7f\ud800-\udfff]{1,200}")

_GET = text(
    """
    select cast(result as text) from eval_results
    where run = :run and sample = :sample and inputs = :inputs
    """
)
# If another process inserted first, the insert returns no row; a second statement, with a later snapshot,
# reads the other's.
_PUT = text(
    """
    insert into eval_results (run, sample, inputs, result, kept_at)
    values (:run, :sample, :inputs, cast(:result as json), :now)
    on conflict (run, sample, inputs) do nothing returning cast(result as text)
    """
)
_FINISHED = text(
    """
    select cast(result as text) from eval_results
    join unnest(cast(:samples as text[]), cast(:inputs as text[])) as wanted (sample, inputs)
      using (sample, inputs)
    where run = :run
    order by sample
    """
)


class PostgresEvalResults:
    """One row per run, sample and digest of its inputs; implements ``EvalResults``."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def put(self, run: str, inputs: str, result: SampleResult) -> SampleResult:
        check_names(run, inputs)
        key = {"run": run, "sample": result.sample, "inputs": inputs}
        row = key | {"result": result.model_dump_json(), "now": self._clock.now()}
        with self._database.statement() as connection:
            stored = connection.execute(_PUT, row).scalar()
            if stored is None:
                stored = connection.execute(_GET, key).scalar_one()
        return SampleResult.model_validate_json(stored)

    def get(self, run: str, sample: str, inputs: str) -> SampleResult | None:
        check_names(run, sample, inputs)
        with self._database.statement() as connection:
            kept = connection.execute(_GET, {"run": run, "sample": sample, "inputs": inputs}).scalar()
        return None if kept is None else SampleResult.model_validate_json(kept)

    def finished(self, run: str, wanted: Mapping[str, str]) -> tuple[SampleResult, ...]:
        check_names(run, *wanted, *wanted.values())
        asked = {"run": run, "samples": list(wanted), "inputs": list(wanted.values())}
        with self._database.statement() as connection:
            rows = connection.execute(_FINISHED, asked).scalars()
            return tuple(map(SampleResult.model_validate_json, rows))


def check_names(*names: str) -> None:
    """Raise ``UsageMistake`` unless all are valid names; the database's index limits their length."""
    for name in names:
        if not _NAME.fullmatch(name):
            raise UsageMistake(
                "bad-eval-name",
                f"Invalid name {name[:80]!r} of a run, sample or inputs of an eval. "
                "Use 1–200 characters, none of them a control character.",
            )
