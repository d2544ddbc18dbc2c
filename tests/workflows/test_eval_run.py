"""A24: an eval as Temporal carries it out, honest and resumable."""

import asyncio
from collections import Counter
from collections.abc import Callable

import pytest
from temporalio.client import Client, WorkflowFailureError
from temporalio.exceptions import ApplicationError
from temporalio.testing import WorkflowEnvironment

from penwright.agents.evals.comparison import compare
from penwright.agents.loop.run import begin
from penwright.errors import BrokenDefinition
from schemas.agent_run import AgentRunInput
from schemas.control import KillRequest
from schemas.experiment import Experiment
from tests.support.workflows.evals import ORACLE, Hall, Knowing, riddle
from workflows.agents.driving import AgentDriver
from workflows.agents.eval_run import EvalRun

TEN = [riddle(number, "right") for number in range(10)]
SAMPLES = [f"s{number}" for number in range(10)]


def knowing() -> Knowing:
    """Answers two questions of ten, one of them right."""
    return Knowing({"q8": "wrong", "q9": "right"})


async def test_crashes_count_as_failures_and_are_listed_separately(temporal_env: WorkflowEnvironment) -> None:
    hall = Hall(temporal_env.client, knowing())
    async with hall.worker():
        result = await hall.run(hall.given(*TEN))

    report = result.report
    assert report is not None
    assert (result.outcome, report.pass_rate, report.total) == ("completed", 0.1, 10)
    assert (report.passed, report.failed, report.crashed) == (1, 1, 8)
    assert [each.sample for each in report.failures] == ["s8"]
    assert [each.sample for each in report.crashes] == SAMPLES[:8]
    assert {each.code for each in report.crashes} == {"model-down"}
    assert hall.archive.report(hall.archive.plan_of(hall.queue)) == report


async def test_no_more_samples_are_under_way_than_asked_for(temporal_env: WorkflowEnvironment) -> None:
    model = Knowing({f"q{number}": "right" for number in range(10)})
    model.silent.update({"q0", "q1", "q2"})
    hall = Hall(temporal_env.client, model)
    async with hall.worker():
        handle = await hall.start(hall.given(*TEN, at_once=3))
        await model.until_asked("q0", "q1", "q2")
        model.silent.clear()
        result = await handle.result()

    assert result.report is not None
    assert result.report.passed == 10
    assert model.most_at_once == 3


async def test_a_second_start_runs_only_new_samples(temporal_env: WorkflowEnvironment) -> None:
    model = knowing()
    hall = Hall(temporal_env.client, model)
    async with hall.worker():
        first = await hall.run(hall.given(*TEN[7:]))
        same = await hall.run(hall.given(*TEN[7:]))
        changed = await hall.run(hall.given(TEN[7], riddle(8, "wrong"), TEN[9]))

    assert same.report == first.report
    assert changed.report is not None
    assert changed.report.passed == 2
    assert model.asked == Counter({"q7": 1, "q8": 2, "q9": 1})


@pytest.mark.long
@pytest.mark.parametrize("how", ["worker stopped", "terminated", "killed"])
async def test_an_interrupted_eval_runs_no_finished_sample_again(
    temporal_env: WorkflowEnvironment, how: str
) -> None:
    model = Knowing({f"q{number}": "right" for number in range(10)})
    model.silent.update(f"q{number}" for number in range(4, 10))
    hall = Hall(temporal_env.client, model)
    given = hall.given(*TEN, at_once=2)
    async with hall.worker():
        handle = await hall.start(given)
        await hall.until_finished(SAMPLES[:4])
        if how == "terminated":
            await handle.terminate()
        elif how == "killed":
            await handle.signal(EvalRun.kill, KillRequest(who="ada", reason="enough"))
            assert (await handle.result()).outcome == "stopped"
    model.silent.clear()
    async with hall.worker():
        again = handle if how == "worker stopped" else await hall.start(given)
        result = await again.result()

    assert result.report is not None
    assert (result.outcome, result.report.passed) == ("completed", 10)
    assert [model.asked[f"q{number}"] for number in range(4)] == [1, 1, 1, 1]


async def test_a_kill_keeps_the_results_and_names_missing_samples(temporal_env: WorkflowEnvironment) -> None:
    model = Knowing({"q0": "right", "q1": "right"})
    model.silent.add("q1")
    hall = Hall(temporal_env.client, model)
    async with hall.worker():
        handle = await hall.start(
            hall.given(riddle(0, "right"), riddle(1, "right"), riddle(2, "right"), at_once=1)
        )
        await hall.until_finished(["s0"])
        await model.until_asked("q1")
        told = await handle.query(EvalRun.progress)
        await handle.signal(EvalRun.kill, KillRequest(who="ada", reason="enough"))
        result = await handle.result()

    assert told.detail == "1 of 3 samples: 1 passed, 0 failed, 0 crashed"
    assert (result.outcome, result.message) == ("stopped", "ada: enough")
    assert result.report is not None
    assert (result.report.passed, result.report.unfinished) == (1, ("s1", "s2"))
    assert model.asked["q2"] == 0


async def test_a_paused_eval_finishes_running_samples_and_starts_none(
    temporal_env: WorkflowEnvironment,
) -> None:
    model = Knowing({"q0": "right", "q1": "right"})
    model.silent.add("q0")
    hall = Hall(temporal_env.client, model)
    async with hall.worker():
        handle = await hall.start(hall.given(riddle(0, "right"), riddle(1, "right"), at_once=1))
        await model.until_asked("q0")
        await handle.signal(EvalRun.pause)
        model.silent.clear()
        await hall.until_finished(["s0"])
        paused = await handle.query(EvalRun.progress)
        asked_while_paused = model.asked["q1"]
        await handle.signal(EvalRun.resume)
        result = await handle.result()

    assert (paused.stage, paused.paused, asked_while_paused) == ("paused", True, 0)
    assert result.report is not None
    assert result.report.passed == 2


async def test_a_kill_ends_a_paused_eval(temporal_env: WorkflowEnvironment) -> None:
    model = Knowing({"q0": "right"})
    model.silent.add("q0")
    hall = Hall(temporal_env.client, model)
    async with hall.worker():
        handle = await hall.start(hall.given(riddle(0, "right"), riddle(1, "right"), at_once=1))
        await model.until_asked("q0")
        await handle.signal(EvalRun.pause)
        await handle.signal(EvalRun.kill, KillRequest(who="ada", reason="enough"))
        result = await handle.result()

    assert (result.outcome, result.message) == ("stopped", "ada: enough")
    assert model.asked["q1"] == 0


async def test_a_terminated_sample_is_a_crash_and_the_eval_continues(
    temporal_env: WorkflowEnvironment,
) -> None:
    model = Knowing({"q0": "right", "q1": "right"})
    model.silent.add("q0")
    hall = Hall(temporal_env.client, model)
    async with hall.worker():
        handle = await hall.start(hall.given(riddle(0, "right"), riddle(1, "right"), at_once=1))
        await model.until_asked("q0")
        children = [child async for child in hall.client.list_workflows(f"ParentWorkflowId = '{handle.id}'")]
        await hall.client.get_workflow_handle(children[0].id).terminate()
        result = await handle.result()

    assert result.report is not None
    assert [(each.sample, each.code) for each in result.report.crashes] == [("s0", "run-terminated")]
    assert result.report.passed == 1


async def test_a_sample_that_takes_too_long_is_a_crash(temporal_env: WorkflowEnvironment) -> None:
    model = Knowing({"q0": "right"})
    model.silent.add("q0")
    hall = Hall(temporal_env.client, model)
    async with hall.worker():
        result = await hall.run(hall.given(riddle(0, "right"), sample_s=1))

    assert result.report is not None
    assert [each.code for each in result.report.crashes] == ["deadline"]


async def test_a_sample_whose_definition_is_broken_is_a_crash_at_once(
    temporal_env: WorkflowEnvironment,
) -> None:
    hall = Hall(temporal_env.client, Knowing({"q0": "right"}))
    wild = Experiment(name="wild", flags={"mood": "wild"})
    async with hall.worker(), asyncio.timeout(30):
        result = await hall.run(hall.given(riddle(0, "right"), agent="test/wrathful", experiment=wild))

    assert result.report is not None
    assert [each.code for each in result.report.crashes] == ["reducer-failed"]


@pytest.mark.parametrize(("ends", "kind"), [(True, ApplicationError), (False, RuntimeError)])
async def test_a_definition_that_breaks_under_way_ends_a_sample_and_holds_up_other_runs(
    monkeypatch: pytest.MonkeyPatch, ends: bool, kind: type[Exception]
) -> None:
    async def broken(self: AgentDriver, show: Callable[[], None]) -> bool:
        raise BrokenDefinition("reducer-failed", "no such mood")

    monkeypatch.setattr(AgentDriver, "_advanced", broken)
    given = AgentRunInput(agent="test/oracle", run_id="r", subject="s", ends_broken=ends)

    with pytest.raises(kind, match="no such mood"):
        await AgentDriver(begin(ORACLE, given)).advance(lambda: None)


async def statuses(client: Client, workflow_id: str) -> list[str]:
    runs = client.list_workflows(f"WorkflowId = '{workflow_id}'")
    return [run.status.name async for run in runs if run.status]


async def test_a_long_eval_continues_as_new_with_its_results(temporal_env: WorkflowEnvironment) -> None:
    hall = Hall(temporal_env.client, knowing())
    async with hall.worker():
        handle = await hall.start(hall.given(*TEN[5:], per_segment=2))
        result = await handle.result()
        # The list lags behind the events.
        for _ in range(200):
            if "RUNNING" not in (ended := await statuses(hall.client, handle.id)):
                break
            await asyncio.sleep(0.1)

    assert result.report is not None
    assert (result.report.passed, result.report.crashed) == (1, 3)
    assert sorted(ended) == ["COMPLETED", *["CONTINUED_AS_NEW"] * 2]


async def test_the_task_of_a_sample_may_be_longer_than_a_history_takes(
    temporal_env: WorkflowEnvironment,
) -> None:
    long = "q" * 300_000
    model = Knowing({long: "right"})
    hall = Hall(temporal_env.client, model)
    async with hall.worker():
        result = await hall.run(hall.given(f'{{"id": "s", "input": "{long}", "expected": "right"}}'))

    assert result.report is not None
    assert result.report.passed == 1


@pytest.mark.parametrize(
    ("lines", "changes", "code"),
    [
        ([TEN[0], TEN[0]], {}, "duplicate-sample"),
        ([], {}, "empty-dataset"),
        (['{"id": "s", "input": 7}'], {}, "bad-sample"),
        (['{"id": "s", "input": {"params": {"Nothing": {}}}}'], {}, "bad-sample"),
        (TEN, {"judged_by": "kindly"}, "bad-evaluator"),
        (TEN, {"agent": "test/nobody"}, "unknown-agent"),
        (TEN, {"experiment": Experiment(name="x", tag="lush")}, "override-tag-unknown"),
        (TEN, {"experiment": Experiment(name="x", model="dear")}, "unknown-model"),
    ],
)
async def test_an_invalid_eval_is_refused_before_the_first_model_call(
    temporal_env: WorkflowEnvironment, lines: list[str], changes: dict[str, object], code: str
) -> None:
    model = knowing()
    hall = Hall(temporal_env.client, model)
    async with hall.worker():
        with pytest.raises(WorkflowFailureError) as failed:
            await hall.run(hall.given(*lines, **changes))

    assert isinstance(failed.value.cause, ApplicationError)
    assert failed.value.cause.type == code
    assert not model.asked


async def test_two_experiments_are_compared_sample_by_sample(temporal_env: WorkflowEnvironment) -> None:
    model = knowing()
    hall = Hall(temporal_env.client, model)
    async with hall.worker():
        await hall.run(hall.given(*TEN, eval_id=f"{hall.queue}-a"))
        model.answers.update({f"q{number}": "right" for number in range(9)})
        model.answers["q9"] = "wrong"
        await hall.run(hall.given(*TEN[1:], riddle(10, "right"), eval_id=f"{hall.queue}-b"))
    plans = [hall.archive.plan_of(f"{hall.queue}-{name}") for name in "ab"]
    before, after = (hall.archive.finished(plan, hall.archive.planned(plan)) for plan in plans)
    found = compare("a", before, "b", after)

    assert (found.pairs, found.only_first, len(found.only_second)) == (9, ("s9",), 8)
    assert found.difference == pytest.approx(7 / 9)
    assert 0 < found.low < 7 / 9 < found.high
    assert (found.missing_first, found.missing_second) == (("s10",), ("s0",))
