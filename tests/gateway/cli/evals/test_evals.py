"""The verbs about evals, in front of a real Temporal server whose worker lives in this process."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import pytest
from temporalio.client import Client
from temporalio.testing import WorkflowEnvironment
from typer.main import get_command

from activities.agents.eval_archive import EvalArchive
from gateway.cli import output
from gateway.cli import program as cli
from gateway.desk.agents.eval_services import EvalRuns
from gateway.desk.engine.temporal.evals import TemporalEvals
from penwright.adapters.models.scripted import ScriptedAnswer
from schemas.agent_run import RunQueues
from schemas.model_catalog import DEMO, ModelCatalog, ModelEntry
from tests.support.agents.scripted_model import write_script
from tests.support.each import for_each
from tests.support.workflows.evals import Hall, Knowing, riddle, routed
from workers.temporal_plugin import STRICT_PLUGIN


class HallDoors:
    """Services to a hall."""

    def __init__(self, hall: Hall) -> None:
        self.hall = hall

    @contextmanager
    def archive(self) -> Iterator[EvalArchive]:
        yield self.hall.archive

    @asynccontextmanager
    async def evals(self) -> AsyncIterator[EvalRuns]:
        # A command has a loop of its own, and so a client of its own.
        here = self.hall.client
        address = here.service_client.config.target_host
        client = await Client.connect(address, namespace=here.namespace, plugins=[STRICT_PLUGIN])
        yield TemporalEvals(client, self.hall.queue)

    def queues(self) -> RunQueues:
        return RunQueues()

    def register_agents(self) -> None:
        """The oracle is known already."""

    def person(self) -> str:
        return "ada"


class Penwright:
    """The command line in front of a hall."""

    def __init__(self, hall: Hall, capsys: pytest.CaptureFixture[str]) -> None:
        self.hall = hall
        self._capsys = capsys

    async def __call__(self, *argv: str) -> tuple[int, str, str]:
        self._capsys.readouterr()
        command = get_command(cli.app)
        code = await asyncio.to_thread(output.run, command, "penwright", argv, obj=HallDoors(self.hall))
        return code, *self._capsys.readouterr()


@pytest.fixture
def riddles(tmp_path: Path) -> Path:
    file = tmp_path / "Night riddles.jsonl"
    file.write_text("\n".join(riddle(number, "right") for number in range(3)))
    return file


async def test_an_eval_is_run_shown_and_compared_with_another(
    temporal_env: WorkflowEnvironment, riddles: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = Knowing({"q0": "wrong", "q1": "right"})
    hall = Hall(temporal_env.client, model)
    penwright = Penwright(hall, capsys)
    one = ("eval", "run", str(riddles), "--agent", "test/oracle")
    async with hall.worker():
        code, told, _ = await penwright(*one, "--model", "demo")
        model.answers["q2"] = "right"
        _, again, _ = await penwright(*one, "--model", "demo", "--json")
        by_role = ("eval", "run", str(riddles), "--role", "oracle", "--flags", "mood=grim", "--json")
        _, other, _ = await penwright(*by_role)
    first, second = (json.loads(each)["report"] for each in (again, other))
    _, shown, _ = await penwright("eval", "show", first["name"])
    _, compared, _ = await penwright("eval", "compare", first["name"], second["name"], "--json")

    assert code == 0
    assert "33.3% passed (1 of 3)" in told
    assert "s2" in told
    assert "model-down" in told
    assert shown == told
    assert first["name"].startswith("night-riddles.")
    assert (first["crashed"], second["passed"]) == (1, 2)
    assert json.loads(compared)["only_second"] == ["s2"]
    assert model.asked["q0"] == 2


async def test_a_named_model_wins_over_the_model_of_the_role(
    temporal_env: WorkflowEnvironment, tmp_path: Path, riddles: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_script(tmp_path / "good.json", ScriptedAnswer(text="right"))
    write_script(tmp_path / "bad.json", ScriptedAnswer(text="wrong"))
    entries = tuple(
        ModelEntry(name=name, provider="scripted", script=str(tmp_path / f"{name}.json"), local=True)
        for name in ("good", "bad")
    )
    catalog = ModelCatalog(models=(DEMO, *entries), roles={"oracle": "bad"}, default="bad")
    hall = Hall(temporal_env.client, Knowing({}), catalog)
    hall.model = routed(hall)
    penwright = Penwright(hall, capsys)
    reports = {}
    async with hall.worker():
        for model in ("good", ""):
            argv = (
                "eval",
                "run",
                str(riddles),
                "--role",
                "oracle",
                "--model",
                model,
                "--id",
                "same",
                "--json",
            )
            reports[model] = json.loads((await penwright(*argv))[1])
        unknown = await penwright(
            "eval", "run", str(riddles), "--role", "oracle", "--model", "dear", "--json"
        )

    assert [reports[model]["report"]["passed"] for model in ("good", "")] == [3, 0]
    assert reports[""]["experiment"]["experiment"]["model"] == "bad scripted"
    assert (unknown[0], json.loads(unknown[1])["code"]) == (1, "unknown-model")


@for_each(
    "content, argv, code",
    [
        (f"{riddle(1, 'a')}\n{riddle(1, 'b')}", (), "duplicate-sample"),
        ("", (), "empty-dataset"),
        ("{", (), "bad-dataset"),
        (riddle(1, "a"), ("--judge", "kindly"), "bad-evaluator"),
        (riddle(1, "a"), ("--flags", "mood"), "bad-flag"),
        (riddle(1, "a"), ("--agent", "test/nobody"), "unknown-agent"),
        (riddle(1, "a"), ("--agent", ""), "no-agent"),
        (riddle(1, "a"), ("--tag", "No Tag"), "bad-experiment"),
    ],
)
async def test_an_invalid_eval_is_refused_by_the_command(
    temporal_env: WorkflowEnvironment,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    content: str,
    argv: tuple[str, ...],
    code: str,
) -> None:
    (tmp_path / "x.jsonl").write_text(content)
    penwright = Penwright(Hall(temporal_env.client, Knowing({})), capsys)

    done = await penwright(
        "eval", "run", str(tmp_path / "x.jsonl"), "--agent", "test/oracle", "--json", *argv
    )

    assert (done[0] != 0, json.loads(done[1])["code"]) == (True, code)


async def test_an_unknown_eval_is_refused_with_what_names_the_known_ones(
    temporal_env: WorkflowEnvironment, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "x.jsonl").write_text(riddle(1, "a"))
    hall = Hall(temporal_env.client, Knowing({}))
    penwright = Penwright(hall, capsys)
    meant = {"DATASET": str(tmp_path / "x.jsonl"), "AGENT": "test/oracle"}

    shown = await penwright("eval", "show", "nothing", "--json")
    steered = [await penwright("eval", verb, "nothing", "--json") for verb in ("kill", "pause", "resume")]
    advised = json.loads(shown[1])["next"].split("`")[1].split()[1:]
    async with hall.worker():
        followed = await penwright(*(meant.get(word, word) for word in advised))

    assert followed[0] == 0, followed
    assert (shown[0], json.loads(shown[1])["code"]) == (1, "unknown-eval")
    assert {(code, json.loads(told)["code"]) for code, told, *_ in steered} == {(3, "nothing-runs")}
