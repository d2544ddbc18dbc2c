"""``penwright manuscript write`` and ``revise``: what becomes of their options."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from gateway.cli.manuscript import reports
from gateway.desk.manuscript import runs
from schemas.manuscript import ManuscriptInput, ManuscriptResult
from tests.support.each import for_each
from tests.support.gateway.services import Run, StageServices, git_in
from tests.support.manuscripts.refused_edits import REFUSED, revised


@pytest.fixture
def orders(services: StageServices, monkeypatch: pytest.MonkeyPatch) -> list[ManuscriptInput]:
    """Every order that reaches the engine."""
    given: list[ManuscriptInput] = []

    async def start(order: ManuscriptInput) -> bool:
        given.append(order)
        return True

    @asynccontextmanager
    async def engine() -> AsyncIterator[Any]:
        yield SimpleNamespace(manuscripts=SimpleNamespace(start=start))

    monkeypatch.setattr(services, "engine", engine)
    return given


def test_each_option_of_write_is_in_the_order_under_its_own_name(
    run: Run, novel: Path, orders: list[ManuscriptInput]
) -> None:
    settings = ("--max-passes", "4", "--min-score", "0.7", "--max-hunks", "6", "--max-calls", "9")
    code, _, err = run(
        *("manuscript", "write", str(novel), "-i", "On tides.", "--intent", "INT-001", *settings, "--detach")
    )

    assert code == 0, err
    (order,) = orders
    assert (order.intent, order.only_revise) == ("INT-001", "")
    kept = order.settings
    assert (kept.max_passes, kept.min_score, kept.max_hunks, kept.limits.calls) == (4, 0.7, 6, 9)


def test_a_revision_has_its_instruction_and_its_intent(
    run: Run, novel: Path, orders: list[ManuscriptInput]
) -> None:
    code, _, err = run(
        "manuscript", "revise", str(novel), "-i", "Shorter.", "--intent", "INT-001", "--detach"
    )

    assert code == 0, err
    assert [(each.intent, each.only_revise) for each in orders] == [("INT-001", "Shorter.")]


def test_who_joins_a_run_is_told_so_before_its_end(
    run: Run, novel: Path, services: StageServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def start(order: ManuscriptInput) -> bool:
        return False

    async def result(name: str) -> ManuscriptResult:
        raise asyncio.CancelledError

    async def progress(name: str) -> None:
        return None

    @asynccontextmanager
    async def engine() -> AsyncIterator[Any]:
        yield SimpleNamespace(manuscripts=SimpleNamespace(start=start, result=result, progress=progress))

    monkeypatch.setattr(services, "engine", engine)

    code, _, err = run("manuscript", "write", str(novel), "-i", "On tides.")

    assert code == 130, err
    assert "goes on already; this joins it" in err
    assert "others are not taken" in err


@pytest.mark.parametrize("verb", ["write", "revise"])
def test_a_ctrl_c_before_the_run_is_joined_does_not_say_that_it_goes_on(
    run: Run, novel: Path, services: StageServices, monkeypatch: pytest.MonkeyPatch, verb: str
) -> None:
    @asynccontextmanager
    async def engine() -> AsyncIterator[Any]:
        raise KeyboardInterrupt
        yield

    monkeypatch.setattr(services, "engine", engine)

    code, _, err = run("manuscript", verb, str(novel), "-i", "On tides.")

    assert code == 130
    assert "the run may not have begun: `penwright manuscript watch" in err


def test_who_stopped_a_run_is_said_once(run: Run, novel: Path, services: StageServices) -> None:
    found = runs.document(services, str(novel), "-")
    ended = ManuscriptResult(
        outcome="stopped",
        stop="stopped",
        novel=found.novel.novel_id,
        scene="-",
        session="s1",
        stopped_by="ada",
        message="stopped by ada: too long",
    )

    assert reports.ending_lines(found, ended)[0] == "Stopped by ada: too long"


@for_each("find, replace, why", REFUSED)
def test_watch_says_which_edit_a_revision_did_not_make_and_why(
    run: Run,
    novel: Path,
    services: StageServices,
    monkeypatch: pytest.MonkeyPatch,
    find: str,
    replace: str,
    why: str,
) -> None:
    found = runs.document(services, str(novel), "-")
    revised(services, found.key, "s1", find, replace)
    ended = ManuscriptResult(
        outcome="finished", stop="finished", novel=found.novel.novel_id, scene="-", session="s1"
    )

    async def result(name: str) -> ManuscriptResult:
        return ended

    async def progress(name: str) -> None:
        return None

    @asynccontextmanager
    async def engine() -> AsyncIterator[Any]:
        yield SimpleNamespace(manuscripts=SimpleNamespace(result=result, progress=progress))

    monkeypatch.setattr(services, "engine", engine)

    code, said, err = run("manuscript", "watch", str(novel))
    told = json.loads(run("manuscript", "watch", str(novel), "--json")[1])["not_made"]

    assert code == 0, err
    assert f"not made: edit 1 of “{find}”: {why}" in " ".join(said.split())
    assert why in told


@pytest.mark.parametrize("verb", ["write", "revise"])
def test_a_broken_novel_yml_in_the_folder_begins_no_run(
    run: Run, novel: Path, orders: list[ManuscriptInput], verb: str
) -> None:
    (novel / "Novel.yml").write_text("title: [\n")

    code, _, err = run("manuscript", verb, str(novel), "-i", "On tides.", "--detach")

    assert code != 0
    assert "error[novel-broken-yaml]" in err
    assert orders == []


def test_a_broken_novel_yml_that_was_committed_is_mended_by_correcting_the_file(
    run: Run, novel: Path, orders: list[ManuscriptInput]
) -> None:
    sound = (novel / "Novel.yml").read_text()
    (novel / "Novel.yml").write_text("title: [\n")
    git_in(novel, "-c", "user.name=A", "-c", "user.email=a@e.org", "commit", "-qam", "oops")
    broken = run("manuscript", "show", str(novel))
    (novel / "Novel.yml").write_text(sound)

    shown = run("manuscript", "show", str(novel))
    written = run("manuscript", "write", str(novel), "-i", "On tides.", "--detach")

    assert "error[novel-broken-yaml]" in broken[2]
    assert shown[0] == 0, shown[2]
    assert (written[0], len(orders)) == (0, 1), written[2]
