"""``penwright operator housekeeping``: what a person reads, and what a program reads."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from gateway.cli.operator import housekeeping
from gateway.cli.program import app
from schemas.housekeeping import Cleared, HousekeepingResult, RepositoriesPacked
from tests.support.engine.stand import Stand
from workers.settings import load

EVENTS = Cleared(table="events", what="events of runs", days=90, rows=1234, size=2_500_000)
TEXTS = Cleared(table="blobs", what="texts", days=30, failed="encryption-key-unknown: set the key")
PACKED = RepositoriesPacked(
    queue="repo", looked_at=5, packed=1, busy=1, needless=2, freed=50_000, failed=("b: broken",)
)
DONE = HousekeepingResult(outcome="done", tables=(EVENTS, TEXTS), packed=(PACKED,))


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    async def look(settings: object) -> tuple[Cleared, ...]:
        return (EVENTS, TEXTS)

    async def run(settings: object) -> HousekeepingResult:
        return DONE

    monkeypatch.setattr(housekeeping, "_look", look)
    monkeypatch.setattr(housekeeping, "_run", run)


def said(*arguments: str) -> str:
    result = CliRunner().invoke(app, ["operator", "housekeeping", *arguments])
    assert result.exit_code == 0, result.output
    return result.stdout


def test_a_look_shows_how_much_would_go_and_why() -> None:
    lines = said("--dry-run").splitlines()

    assert lines[1].split() == ["events", "90", "d", "1234", "2.5", "MB", "events", "of", "runs"]
    assert "  not done: encryption-key-unknown: set the key" in lines
    assert lines[-3] == "1234 rows, 2.5 MB would go."
    assert "texts that only such rows name" in lines[-2]
    assert lines[-1] == "Nothing was changed."
    assert all(len(line) <= 100 for line in lines)


def test_what_was_done_accounts_for_all_repositories() -> None:
    lines = said().splitlines()

    assert lines[-3:] == [
        "1234 rows, 2.5 MB deleted.",
        "1 of 5 repositories packed, 50.0 kB freed; 2 with nothing to pack, 1 in use, 1 failed.",
        "  not packed: b: broken",
    ]


def test_a_program_reads_every_table() -> None:
    look = json.loads(said("--dry-run", "--json"))
    assert look["tables"][0]["rows"] == 1234
    assert "texts that only such rows name" in look["not_counted"]
    document = json.loads(said("--json"))
    assert (document["status"], document["packed"][0]["freed"]) == ("done", 50_000)


@pytest.mark.server
async def test_a_look_at_a_running_engine_changes_nothing(
    stand: Stand, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()
    settings = load(stand.environ(tmp_path, "look")).settings

    seen = await housekeeping._look(settings)

    assert {each.table for each in seen} >= {"events", "blobs"}
    assert all(not each.failed for each in seen)
