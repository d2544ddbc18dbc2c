"""Runs that Temporal has dropped are shown from the store."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from typer.main import get_command

from activities.agents.transcripts import Transcripts
from gateway.cli import output
from gateway.cli import program as cli
from gateway.cli.live import describe
from penwright.errors import NotFound
from schemas.agent_run import AgentRunResult, TranscriptEntry
from schemas.base import Progress
from tests.support.gateway.services import StageEngine, StageServices

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
ENDED = AgentRunResult(
    outcome="budget", agent="ink/writer", run_id="notes-7", subject="tide", message="Spent."
)


class Forgetful:
    """A Temporal server that has dropped all runs."""

    async def find(self, run_id: str) -> Any:  # never returns
        raise NotFound("unknown-run", f"there is no run {run_id!r}")

    async def listed(self, **_: Any) -> tuple[()]:  # any filters
        return ()


class ForgetfulDoors(StageServices):
    """Services to such a Temporal and to a store that remembers."""

    def connected(self) -> StageEngine:
        return replace(super().connected(), agents=Forgetful())


@pytest.fixture
def services() -> ForgetfulDoors:
    found = ForgetfulDoors()
    keep = Transcripts(found.store.records).keep
    entry = TranscriptEntry(
        source="notes-7", sequence=1, type="run-started", at=NOON, detail={"task": "Keep."}
    )
    keep("notes-7", "tide", [entry])
    end = entry.model_copy(update={"sequence": 2, "type": "run-ended", "at": NOON.replace(hour=13)})
    keep("notes-7", "tide", [end], ENDED)
    keep("notes-7/call/3", "tide", [entry.model_copy(update={"source": "notes-7/call/3"})], ENDED)
    return found


def run(
    services: ForgetfulDoors, capsys: pytest.CaptureFixture[str], *arguments: str
) -> tuple[int, Any, str]:
    """Exit code, JSON and notes of a command."""
    code = output.run(get_command(cli.app), "penwright", ["run", *arguments, "--json"], obj=services)
    out, err = capsys.readouterr()
    return code, json.loads(out), err


def test_a_dropped_run_is_shown_from_the_store_with_a_note(
    services: ForgetfulDoors, capsys: pytest.CaptureFixture[str]
) -> None:
    code, shown, _ = run(services, capsys, "show", "notes-7")

    assert (code, shown["status"], shown["outcome"], shown["started_at"]) == (
        0,
        "budget",
        "budget",
        NOON.isoformat(),
    )
    assert shown["result"]["message"] == "Spent."
    assert "Temporal has forgotten this run" in shown["trouble"]


def test_a_forgotten_run_stays_in_the_list_without_its_sub_agents(
    services: ForgetfulDoors, capsys: pytest.CaptureFixture[str]
) -> None:
    _, listed, _ = run(services, capsys, "list")
    _, running, _ = run(services, capsys, "list", "--running")

    assert [(each["run_id"], each["agent"]) for each in listed["runs"]] == [("notes-7", "ink/writer")]
    assert running["runs"] == []


def test_runs_are_found_by_the_code_they_failed_with(
    services: ForgetfulDoors, capsys: pytest.CaptureFixture[str]
) -> None:
    entry = TranscriptEntry(source="main", sequence=1, type="run-prepared", at=NOON)
    failed = ENDED.model_copy(update={"run_id": "p", "outcome": "failed", "code": "model-refused"})
    Transcripts(services.store.records).keep("poison-1", "tide", [entry], failed)

    _, found, _ = run(services, capsys, "list", "--code", "model-refused")
    _, nobody, _ = run(services, capsys, "list", "--code", "no-such-code")
    _, elsewhere, _ = run(services, capsys, "list", "--code", "model-refused", "--subject", "sky")

    told = [(each["run_id"], each["outcome"], each["code"]) for each in found["runs"]]
    assert told == [("poison-1", "failed", "model-refused")]
    assert nobody["runs"] == elsewhere["runs"] == []


def test_a_run_says_which_model_answered_in_whose_place(
    services: ForgetfulDoors, capsys: pytest.CaptureFixture[str]
) -> None:
    entry = TranscriptEntry(source="main", sequence=1, type="run-prepared", at=NOON)
    stood_in = ENDED.model_copy(update={"run_id": "r", "models": ("small",), "instead_of": ("large",)})
    Transcripts(services.store.records).keep("replaced-1", "tide", [entry], stood_in)

    _, told, _ = run(services, capsys, "list")
    said = []
    for arguments in (["list"], ["show", "replaced-1"]):
        output.run(get_command(cli.app), "penwright", ["run", *arguments], obj=services)
        said.append(capsys.readouterr().out)

    (row,) = [each for each in told["runs"] if each["run_id"] == "replaced-1"]
    assert (row["models"], row["instead_of"]) == (["small"], ["large"])
    assert "small, in place of large" in said[0]
    assert "Written by small." in said[1]
    assert "Answered in place of large." in said[1]


def test_the_transcript_of_a_forgotten_run_is_printed(
    services: ForgetfulDoors, capsys: pytest.CaptureFixture[str]
) -> None:
    code, told, _ = run(services, capsys, "transcript", "notes-7")

    assert (code, [entry["type"] for entry in told["entries"]]) == (0, ["run-started", "run-ended"])


def test_an_unrecorded_run_is_unknown(services: ForgetfulDoors, capsys: pytest.CaptureFixture[str]) -> None:
    for verb in ("show", "transcript"):
        code, refused, _ = run(services, capsys, verb, "nobody")
        assert (code, refused["code"]) == (1, "unknown-run")


def test_a_paused_run_names_its_resume_command() -> None:
    paused = Progress(pipeline="agent-run", stage="paused", detail="paused", subject="tide", paused=True)

    assert describe(paused, resumes="penwright run resume notes-7").endswith(
        "`penwright run resume notes-7` goes on"
    )
    assert "goes on" not in describe(paused)


@pytest.mark.parametrize(("ending", "status"), [(None, "forgotten"), (ENDED, "budget")])
def test_a_session_writer_run_is_shown_as_part_of_its_session(
    services: ForgetfulDoors,
    capsys: pytest.CaptureFixture[str],
    ending: AgentRunResult | None,
    status: str,
) -> None:
    entry = TranscriptEntry(source="main", sequence=1, type="run-prepared", at=NOON)
    Transcripts(services.store.records).keep("book/tide/s1", "tide", [entry], ending)

    code, shown, _ = run(services, capsys, "show", "book/tide/s1")

    assert (code, shown["agent"], shown["status"]) == (0, "ink/writer", status)
    assert "part of its session" in shown["trouble"]
