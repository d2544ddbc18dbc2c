"""What an intent's history costs when the ledger is long: from PostgreSQL, at a real repository's tip."""

import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from penwright.adapters.clock import SystemClock
from penwright.adapters.store import open_store
from penwright.adapters.workspace import GitWorkspaces
from penwright.domain.trace.chain import canonical
from penwright.domain.trace.indexing import catch_up
from penwright.domain.trace.intent_history.history import LARGEST, history_from_index, history_from_ledger
from penwright.domain.trace.layout import CLOSED, LEDGER, MANIFEST, segment_path
from penwright.domain.trace.segments import manifest_entry
from penwright.ports import TraceIndex, TraceSource
from schemas.trace import TraceRecord
from schemas.workspace import Workspace
from tests.bench.report import Row, milliseconds, percentile, say
from tests.support.ledgers import a_range, a_record, a_removal, hash_of, lines_of
from tests.support.postgres import migrated_template, running_cluster
from tests.support.repos import git, make_repository

RECORDS = 100_000
MINE = 41
GOAL_MS = 20.0
INTENT, BOOK = "INT-003", "lamp"
_IN_SEGMENT = 74
"""As many as close a segment in a book."""
_SUPERSEDED = 3
_BLOCKS = 3


def records(count: int) -> Iterator[TraceRecord]:
    """A chain in which ``MINE`` records are the intent's; what the first of them wrote goes by the last."""
    mine = {count * number // MINE for number in range(MINE)}
    prev: tuple[str, ...] = ()
    for number in range(count):
        blocks = [
            a_range(f"{number}.{n}", "Chapter 3", "The Harbour", ordinal=number * _BLOCKS + n)
            for n in range(_BLOCKS)
        ]
        gone = [a_removal(f"{each}.0") for each in sorted(mine)[-_SUPERSEDED:]] if number == count - 1 else []
        intent = INTENT if number in mine else f"INT-{100 + number % 7}"
        record = a_record(f"r{number}", *blocks, *gone, intent=intent, minute=number, prev=prev)
        prev = (hash_of(record),)
        yield record


def make_ledger(folder: Path, count: int) -> Workspace:
    """A repository whose ledger has ``count`` records in closed segments and an open one."""
    make_repository(folder, {"Book.md": "# Chapter 3\n\n## The Harbour\n\nOnce.\n"})
    (folder / CLOSED).mkdir(parents=True)
    segment: list[TraceRecord] = []
    number, manifest = 0, b""
    for record in records(count):
        if len(segment) == _IN_SEGMENT:
            number, content = number + 1, lines_of(segment)
            (folder / segment_path(number)).write_bytes(content)
            manifest += canonical(manifest_entry(segment_path(number), content)) + b"\n"
            segment.clear()
        segment.append(record)
    (folder / LEDGER).write_bytes(lines_of(segment))
    (folder / MANIFEST).write_bytes(manifest)
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "A long past")
    return Workspace(path=str(folder))


def measure(source: TraceSource, index: TraceIndex, *, rounds: int) -> list[Row]:
    """Rows of one ledger; its first history fills what is remembered of the text, and is not counted."""
    began = time.perf_counter()
    told = catch_up(source, index, BOOK)
    rebuild_s = time.perf_counter() - began
    first = history_from_index(source, index, BOOK, INTENT)
    costs = []
    for _ in range(rounds):
        began = time.perf_counter()
        history_from_index(source, index, BOOK, INTENT)
        costs.append((time.perf_counter() - began) * 1000)
    began = time.perf_counter()
    by_ledger = history_from_ledger(source, INTENT)
    ledger_s = time.perf_counter() - began
    assert by_ledger == first
    assert first.count('state="superseded"') == _SUPERSEDED
    assert len(first.encode()) <= LARGEST
    found = percentile(costs, 0.95)
    return [
        Row("trace", f"index of {told:,} records made anew", f"{rebuild_s:.1f} s"),
        Row(
            "trace",
            f"history of an intent among {told:,} records",
            f"{milliseconds(percentile(costs, 0.5))}, p95 {milliseconds(found)}",
            baseline=f"{ledger_s:.1f} s from the ledger",
            ratio=found / 1000 / ledger_s,
            goal=f"<= {GOAL_MS:.0f} ms",
            within=found <= GOAL_MS,
        ),
    ]


def run(count: int = RECORDS, rounds: int = 60) -> list[Row]:
    """Measure over a PostgreSQL of its own."""
    say(f"trace: an index of {count:,} records")
    with (
        tempfile.TemporaryDirectory() as root,
        running_cluster() as cluster,
        migrated_template(cluster.url) as template,
        closing(open_store(template.url("template"), clock=SystemClock())) as store,
    ):
        workspace = make_ledger(Path(root) / "book", count)
        with GitWorkspaces(SystemClock()).trace(workspace) as source:
            return measure(source, store.trace, rounds=rounds)
