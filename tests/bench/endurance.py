"""``python -m tests.bench.endurance [sessions]``: sessions of small books, one after the other for hours.

It prints what every process takes after each hundred, what the store, Temporal and the repositories hold, and
what is left of that after a housekeeping that keeps nothing older than the end of the run.
"""

import asyncio
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import psutil
from sqlalchemy import text

from activities.under_way import under_way
from gateway.desk import housekeeping
from gateway.desk.engine.temporal.pipelines import TemporalPipelines
from penwright.adapters.clock import SystemClock
from penwright.adapters.store import Store
from penwright.adapters.store.retention import PostgresRetention
from schemas.housekeeping import RetentionDays
from schemas.records import BookRow
from tests.bench.engine import BenchEngine, running_engine
from tests.support.books.running_books import RunningBook, lay_out

SESSIONS, STEPS, BOOKS = 500, 5, 12
AT_ONCE = 3
_TARGET = 1_000_000
"""Words that no book of the run reaches."""
_LATER = timedelta(days=3650)

Figures = dict[str, float]
"""Megabytes by what takes them."""


class _Later(SystemClock):
    """The clock of a housekeeping years after the run."""

    def now(self) -> datetime:
        return super().now() + _LATER


def main(words: list[str]) -> None:
    """Run, and print a table in Markdown."""
    sessions = int(words[0]) if words else SESSIONS
    with running_engine() as engine, tempfile.TemporaryDirectory(prefix="pw-") as folder:
        asyncio.run(_run(engine, Path(folder), sessions))


async def _run(engine: BenchEngine, folder: Path, sessions: int) -> None:
    client, store, settings = await engine.client(), engine.store(), engine.loaded.settings
    pipelines = TemporalPipelines(client, settings.worker.queue)
    books = [lay_out(folder / str(number), f"book-{number}", target=_TARGET) for number in range(BOOKS)]
    for book in books:
        store.records.register(
            BookRow(book_id=book.book_id, path=str(book.folder), queue=settings.repo_queue)
        )
    columns: dict[str, Figures] = {}
    done = 0
    columns["0"] = _taken(engine, store, folder)
    for _ in range(STEPS):
        began = time.monotonic()
        await _sessions(engine, pipelines, books, done, done + sessions // STEPS)
        done += sessions // STEPS
        columns[str(done)] = _taken(engine, store, folder)
        pace = (time.monotonic() - began) / (sessions // STEPS)
        print(f"{done} sessions, {pace:.2f} s each, load {os.getloadavg()[0]:.1f}", flush=True)
        print(_table(columns), flush=True)
    living = await under_way(client)
    retention = PostgresRetention(store.database, _Later(), store.keys)
    gone = list(retention.clear(RetentionDays(), living))
    for each in gone:
        if each.rows:
            print(f"{each.table}: {each.rows} rows, {each.size / 1e6:.1f} MB")
    await housekeeping.run(client, settings.worker.queue, SystemClock().now())
    with store.database.statement() as connection:
        connection.execute(text("vacuum full"))
    columns["after"] = _taken(engine, store, folder)
    print(_table(columns), flush=True)
    store.close()


async def _sessions(
    engine: BenchEngine, pipelines: TemporalPipelines, books: list[RunningBook], first: int, last: int
) -> None:
    settings = engine.loaded.settings
    queues = {
        "PENWRIGHT_WORKER__REPO_QUEUE": settings.repo_queue,
        "PENWRIGHT_WORKER__MODEL_QUEUE": settings.worker.model_queue,
    }
    numbers = iter(range(first, last))

    async def work(own: list[RunningBook]) -> None:
        for number in numbers:
            book = own[number % len(own)]
            await pipelines.start(book.session(f"s{number}", queues))
            ended = await pipelines.result(book.book_id)
            if ended.outcome != "closed":
                raise RuntimeError(f"session {number} ended as {ended}")

    await asyncio.gather(*(work(books[turn::AT_ONCE]) for turn in range(AT_ONCE)))


def _taken(engine: BenchEngine, store: Store, folder: Path) -> Figures:
    with store.database.statement() as connection:
        connection.execute(text("checkpoint"))
        database = connection.execute(text("select pg_database_size(current_database())")).scalar_one()
    home, file = engine.home.folder, engine.home.home.temporal_db
    found = {f"memory of {name}": _memory(process) for name, process in _processes(engine)}
    found["database"] = database / 1e6
    found["Temporal's file"] = sum(each.stat().st_size for each in file.parent.glob(f"{file.name}*")) / 1e6
    found["home"] = _size(home)
    found["books and their remotes"] = _size(folder)
    return found


def _processes(engine: BenchEngine) -> Iterator[tuple[str, list[psutil.Process]]]:
    """PostgreSQL is many processes; the others are one each, beside the gits that come and go."""
    record = engine.home.record()
    yield "the supervisor", [psutil.Process(record.pid)]
    for name in record.children:
        process = engine.home.child(name)
        yield name, [process, *(process.children() if name == "postgres" else ())]


def _memory(processes: list[psutil.Process]) -> float:
    """Megabytes that only they hold."""
    return sum(each.memory_full_info().uss for each in processes) / 1e6


def _size(folder: Path) -> float:
    """Megabytes of disk below a folder."""
    files = (Path(top, name) for top, _, names in os.walk(folder) for name in names)
    return sum(each.lstat().st_blocks * 512 for each in files if each.exists()) / 1e6


def _table(columns: dict[str, Figures]) -> str:
    names = list(columns["0"])
    head = f"| MB after sessions | {' | '.join(columns)} |\n|---|{'---:|' * len(columns)}"
    rows = [
        f"| {name} | {' | '.join(f'{figures.get(name, 0):.1f}' for figures in columns.values())} |"
        for name in names
    ]
    return "\n".join([head, *rows])


if __name__ == "__main__":
    main(sys.argv[1:])
