"""The benchmarks run on small inputs and measure the right operations; speed is not tested here."""

import json
from pathlib import Path

import pytest
from temporalio.testing import WorkflowEnvironment

from penwright.adapters.clock import SystemClock
from tests.bench import (
    agent_bench,
    books_bench,
    locator_bench,
    lore_bench,
    prefix_bench,
    prompt_bench,
    prose_bench,
    rounds_bench,
    session_bench,
    trips_bench,
    verify_bench,
)
from tests.bench.__main__ import main
from tests.bench.engine import bare_client
from tests.bench.long_books import Size, make_book, text_of
from tests.bench.report import Row, as_documents, percentile, row_of, table
from tests.support.books.repos import git
from tests.support.doubles.store import memory_store
from tests.support.engine.home import engine_home

TOY = Size(800, 5)


@pytest.mark.long
async def test_a_session_is_measured_beside_bare_workflows_of_the_same_run(
    temporal_env: WorkflowEnvironment,
) -> None:
    client = temporal_env.client
    bare = await bare_client(client.service_client.config.target_host, client.namespace)

    found = await session_bench.measure(client, bare, (0, 1, 2), 2, warm_up=1)

    assert found.steps == len(session_bench.SESSION)
    assert [len(costs) for costs in found.swept.values()] == [2, 2, 2]
    assert found.row().ratio > 0


@pytest.mark.long
async def test_a_loop_is_measured_beside_a_bare_workflow_of_the_same_activities(
    temporal_env: WorkflowEnvironment,
) -> None:
    store = memory_store(clock=SystemClock())

    found = await agent_bench.overhead(temporal_env.client, store, 2, calls=2, warm_up=1)

    assert found.steps == 7
    assert len(found.loops) == len(found.bare) == 2
    assert found.row().ratio > 0


@pytest.mark.long
def test_a_book_is_opened_closed_and_published_beside_plain_git(tmp_path: Path) -> None:
    ours, plain = books_bench.measure(tmp_path, memory_store(clock=SystemClock()), TOY, 2, warm_up=1)

    rows = books_bench.rows(TOY, ours, plain)
    assert [row.measure for row in rows] == [f"{step}, 0k/5; git commit" for step in books_bench.BUDGETS_MS]
    assert [len(costs) for costs in (*ours.values(), *plain.values())] == [2] * 6


@pytest.mark.long
def test_a_ledger_is_verified_whole(tmp_path: Path) -> None:
    home = engine_home()
    try:
        row = verify_bench.measure(home, tmp_path / "book", 300)
    finally:
        home.remove()

    assert row.measure == "all of 300 records; json.loads"
    assert row.ratio > 0


@pytest.mark.long
def test_passages_are_located_and_merged_beside_other_libraries() -> None:
    rows = locator_bench.run((30_000,), 1)

    assert [row.measure.partition(",")[0] for row in rows] == ["locate", "locate", "merge"]
    assert all(row.ratio > 0 for row in rows)


def test_lore_is_scanned_beside_a_loop_that_finds_the_same_entries() -> None:
    (row,) = lore_bench.run(300, 2_000, 1)

    assert row.measure.startswith("scan, 300 entries, 2 KB, ")
    assert row.ratio > 0


def test_two_sessions_share_the_prompt_up_to_what_the_first_of_them_wrote() -> None:
    (row,) = prompt_bench.run()

    assert row.within
    assert row.ratio < 1


@pytest.mark.long
async def test_each_role_that_is_asked_several_times_has_its_shared_prefix(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    rows = await prefix_bench.measure(temporal_env.client, tmp_path)

    roles = {row.measure.partition(":")[0] for row in rows}
    assert {"manuscript-writer", "manuscript-critic", "manuscript-citation-generator", "director"} <= roles
    assert all(0 < row.ratio < 1 for row in rows)


def test_a_session_is_judged_and_a_book_indexed() -> None:
    rows = prose_bench.run(3_000, 300, 1)

    assert [row.measure.partition(",")[0] for row in rows] == [
        "findings",
        "index",
        "index of one more session",
    ]
    assert all(row.ratio > 0 for row in rows)


@pytest.mark.long
def test_rounds_are_played_before_and_after_those_that_are_laid_out() -> None:
    (row,) = rounds_bench.run(5, 1)

    assert row.measure == "a round of two replies after 5 rounds; after 2"
    assert row.ratio > 0


@pytest.mark.long
def test_each_trip_has_its_processes_and_files() -> None:
    trips = {trip.name: trip for trip in trips_bench.measure()}

    for name in ("book session, the first", "a decision on a citation: accept"):
        assert trips[name].workers.processes
        assert "gateway/cli/output.py" in trips[name].front.files
        assert trips[name].row().ratio > 1
    assert "workflows/director_round.py" in trips["scene say"].workers.files
    assert "workflows/director_round.py" not in trips["scene say"].front.files


def test_a_made_book_has_the_words_commits_and_tags_it_says(tmp_path: Path) -> None:
    folder = Path(make_book(tmp_path / "book", TOY).path)

    text = (folder / "Current version/Full_Book.md").read_text(encoding="utf-8")
    assert len(text.partition("-->")[2].split()) == 800
    assert git(folder, "rev-list", "--count", "main") == "5"
    assert len(git(folder, "tag", "--list", "ink-*").split()) == 5
    assert len(list((folder / "Changelog").iterdir())) == 5
    assert git(folder, "status", "--porcelain") == ""


def test_a_real_text_is_taken_over_and_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tmp_path / "tale.txt"
    source.write_text("Call me\n\nwhat you like.\n", encoding="utf-8")
    monkeypatch.setenv("PENWRIGHT_BENCH_TEXT", str(source))

    assert text_of(7) == "Call me\n\nwhat you like.\n\nCall me\n"


def test_the_table_says_which_budgets_are_exceeded() -> None:
    rows = [
        Row("help", "time", "10 ms", "5 ms", 2.0, "<= 300 ms", within=True),
        row_of("books", "open", [1.0, 9.0, 9.0], [3.0], 8.0),
    ]

    lines = table(rows).splitlines()

    assert [line.split()[-1] for line in lines[1:]] == ["ok", "OVER"]
    assert json.loads(json.dumps(as_documents(rows)))[1]["ratio"] == 3.0


def test_a_p95_over_the_budget_is_only_printed() -> None:
    row = row_of("books", "open", [1.0, 1.0, 90.0], [1.0], 8.0)

    assert row.within
    assert row.found == "1.0 ms, p95 90.0 ms"


def test_a_percentile_is_one_of_the_values() -> None:
    assert percentile(list(range(1, 21)), 0.95) == 19
    assert percentile([7], 0.95) == 7


def test_an_unknown_part_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["nothing"])

    assert left.value.code == 2
    assert "unknown part 'nothing'" in capsys.readouterr().err
