"""The benchmarks measure what they say, on books that fit into a test; how fast is not asked here."""

import json
from pathlib import Path

import pytest
from temporalio.testing import WorkflowEnvironment

from penwright.adapters.clock import SystemClock
from penwright.adapters.memory_store import memory_store
from penwright.adapters.workspace import GitWorkspaces
from tests.bench import agent_bench, books_bench, gate_bench, session_bench, trace_index_bench, verify_bench
from tests.bench.__main__ import main
from tests.bench.engine import bare_client
from tests.bench.long_books import Size, make_book, text_of
from tests.bench.report import Row, as_documents, percentile, table
from tests.support.repos import git

TOY = (Size(200, 2), Size(800, 5))


async def test_a_session_is_measured_beside_bare_workflows_of_the_same_run(
    temporal_env: WorkflowEnvironment,
) -> None:
    bare = await bare_client(temporal_env.client.service_client.config.target_host)

    found = await session_bench.measure(temporal_env.client, bare, (0, 1, 2), 2, warm_up=1)

    assert found.steps == len(session_bench.SESSION)
    assert [len(costs) for costs in found.swept.values()] == [2, 2, 2]
    goal, other = found.rows()
    assert goal.ratio is not None
    assert goal.ratio > 0
    assert goal.within is not None
    assert other.within is None


async def test_a_loop_is_measured_beside_a_bare_workflow_of_the_same_activities(
    temporal_env: WorkflowEnvironment,
) -> None:
    store = memory_store(clock=SystemClock())

    found = await agent_bench.overhead(temporal_env.client, store, 2, calls=2, warm_up=1)

    assert found.steps == 7
    assert len(found.loops) == len(found.bare) == 2
    goal, other = found.rows()
    assert goal.ratio is not None
    assert goal.within is not None
    assert other.within is None


async def test_the_histories_of_a_long_run_are_counted(temporal_env: WorkflowEnvironment) -> None:
    segments = await agent_bench.long_run(temporal_env.client, memory_store(clock=SystemClock()), 3)

    [segment] = segments
    assert sum(segment.by_type.values()) <= segment.size
    whole, largest = agent_bench.history_rows(3, segments)
    assert (whole.within, largest.within) == (True, True)


def test_books_are_opened_closed_and_published_at_every_size(tmp_path: Path) -> None:
    store = memory_store(clock=SystemClock())

    found = books_bench.measure(tmp_path, store, TOY, 2, warm_up=1)

    rows = books_bench.rows(found)
    assert [row.measure for row in rows] == [
        f"{step}, {size}" for step in books_bench.GOALS_MS for size in ("0k/2", "0k/5")
    ]
    assert [len(costs) for costs in found[TOY[0]].values()] == [2, 2, 2, 2]
    assert [row.ratio for row in rows if row.measure.endswith("0k/2")] == [1.0, 1.0, 1.0, 1.0]


def test_the_gate_and_the_ledger_are_measured_against_a_book_without_them(tmp_path: Path) -> None:
    rows = gate_bench.measure(tmp_path, memory_store(clock=SystemClock()), TOY[0], 2, warm_up=1)

    assert [row.measure.endswith("gate alone") for row in rows] == [False, True, False, True]
    assert [row.within is None for row in rows] == [False, True, False, True]
    assert all(row.ratio is not None and row.ratio > 0 for row in rows)
    ledgers = sorted(tmp_path.glob("*/.orchestration/agent_trace.jsonl"))
    assert [ledger.parent.parent.name for ledger in ledgers] == ["2-traced"]


def test_a_history_is_measured_from_the_index_beside_the_ledger_itself(tmp_path: Path) -> None:
    workspace = trace_index_bench.make_ledger(tmp_path / "book", 450)

    with GitWorkspaces(SystemClock()).trace(workspace) as source:
        rebuilt, history = trace_index_bench.measure(
            source, memory_store(clock=SystemClock()).trace, rounds=2
        )

    assert rebuilt.measure == "index of 450 records made anew"
    assert history.ratio is not None
    assert history.within is not None


def test_a_ledger_is_verified_whole_and_again_after_one_commit(tmp_path: Path) -> None:
    whole, again, memory = verify_bench.measure(tmp_path / "book", 300)

    assert (whole.measure, again.measure) == ("all of 300 records", "again, 300 records and one")
    assert whole.within is None
    assert again.within is not None
    assert memory.found.endswith(" MB")


def test_a_made_book_has_the_words_commits_and_tags_it_says(tmp_path: Path) -> None:
    folder = Path(make_book(tmp_path / "book", TOY[1]).path)

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


def test_the_table_says_which_goals_are_missed() -> None:
    rows = [
        Row("help", "time", "10 ms", "5 ms", 2.0, "<= 300 ms", True),
        Row("books", "open", "9 s", goal="<= 1 s", within=False),
        Row("books", "history", "shown"),
    ]

    lines = table(rows).splitlines()

    assert [line.split()[-1] for line in lines[1:]] == ["ok", "OVER", "shown"]
    assert json.loads(json.dumps(as_documents(rows)))[0]["ratio"] == 2.0


def test_a_percentile_is_one_of_the_values() -> None:
    assert percentile(list(range(1, 21)), 0.95) == 19
    assert percentile([7], 0.95) == 7


def test_a_part_that_does_not_exist_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["nothing"])

    assert left.value.code == 2
    assert "no part 'nothing'" in capsys.readouterr().err
