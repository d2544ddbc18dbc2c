"""A24: an interrupted eval resumes."""

from datetime import UTC, datetime

from pydantic import JsonValue

from penwright.agents.definition.experiments import experiment, pin
from penwright.agents.evals.dataset import read_dataset
from penwright.agents.evals.evaluators import Observation
from penwright.agents.evals.judging import crashed, judged, read_evaluator
from penwright.agents.evals.planning import Planned, planned
from penwright.agents.evals.report import report
from schemas.evals import Dataset, SampleResult
from schemas.experiment import PinnedExperiment
from schemas.overrides import ResolvedOverrides
from tests.support.agents.gardener import gardener
from tests.support.doubles.eval_results import MemoryEvalResults
from tests.support.doubles.store import memory_store

TEN = read_dataset(
    b"".join(b'{"id": "s%d", "input": %d, "expected": "9"}\n' % (n, n) for n in range(10)), "x"
)
JUDGED_BY = "contains"


class StandingClock:
    def now(self) -> datetime:
        return datetime(2026, 3, 14, tzinfo=UTC)


class Interrupted(Exception):
    """The process died."""


class Runner:
    """Run the remaining samples, counting the runs of each; eight of ten crash."""

    def __init__(self, results: MemoryEvalResults) -> None:
        self.results = results
        self.ran: list[str] = []

    def run(self, dataset: Dataset, pinned: PinnedExperiment, *, dies_after: int = 99) -> None:
        plan = planned(dataset, JUDGED_BY, pinned)
        finished = self.results.finished("night", {each.sample.id: each.inputs for each in plan})
        done = {result.sample for result in finished}
        for number, each in enumerate(one for one in plan if one.sample.id not in done):
            if number == dies_after:
                raise Interrupted
            self.ran.append(each.sample.id)
            self.results.put("night", each.inputs, answered(each))

    def resumed(self, dataset: Dataset, pinned: PinnedExperiment) -> None:
        try:
            self.run(dataset, pinned, dies_after=4)
        except Interrupted:
            self.run(dataset, pinned)


def answered(each: Planned) -> SampleResult:
    said: JsonValue = each.sample.input
    if each.sample.id not in ("s8", "s9"):
        return crashed(each.sample, each.content, "model-down", "The provider did not answer.")
    return judged(each.sample, each.content, read_evaluator(JUDGED_BY), Observation(said))


def lush(model: str = "m") -> PinnedExperiment:
    return pin(experiment("lush", model=model), gardener(), "def", ResolvedOverrides())


def a_runner() -> Runner:
    return Runner(memory_store(clock=StandingClock()).evals)


def test_a_resumed_eval_repeats_no_finished_sample() -> None:
    runner = a_runner()

    runner.resumed(TEN, lush())
    found = report("night", [sample.id for sample in TEN.samples], runner.results.of_run("night"))

    assert runner.ran == [sample.id for sample in TEN.samples]
    assert (found.pass_rate, found.passed, found.failed, found.crashed) == (0.1, 1, 1, 8)
    assert found.unfinished == ()


def test_an_eval_of_another_model_runs_every_sample() -> None:
    runner = a_runner()

    runner.run(TEN, lush("m"))
    runner.run(TEN, lush("n"))

    assert len(runner.ran) == 20


def test_only_samples_that_were_changed_or_added_are_run_again() -> None:
    lines = [sample.model_dump_json() for sample in TEN.samples]
    lines[3] = '{"id": "s3", "input": "another", "expected": "9"}'
    edited = read_dataset("\n".join([*lines, '{"id": "new", "input": 1}']).encode(), "x")
    runner = a_runner()

    runner.run(TEN, lush())
    runner.run(edited, lush())

    assert runner.ran[10:] == ["s3", "new"]


def test_another_evaluator_changes_the_digest_of_a_sample() -> None:
    one, other = planned(TEN, "exact", lush()), planned(TEN, "contains", lush())

    assert [a.sample for a in one] == [b.sample for b in other]
    assert {a.content for a in one}.isdisjoint(b.content for b in other)
    assert {a.inputs for a in one}.isdisjoint(b.inputs for b in other)
