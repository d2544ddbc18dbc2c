"""Events a second by writers at once, with and without the lock of all writers that revision 0014 removed."""

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from threading import Barrier, Event, Thread

import psycopg

from penwright.adapters.store import open_store
from tests.adapters.store.builders import SetClock
from tests.bench.report import Row, say
from tests.support.engine.migrating import upgrade_to
from tests.support.engine.postgres import Cluster, running_cluster

WRITERS = (1, 4, 16)
BUDGET = 1.5
"""How much faster 16 writers are at least than with the lock."""
_INSERT = "insert into events (run, subject, kind, at, op_id, data) values ('r', 's', 'k', now(), %s, '{}')"
_OP_IDS = count()


def run(seconds: float = 3.0) -> list[Row]:
    """Start a server that writes to its disk at each commit, as PostgreSQL does by default."""
    say("events: starting a server")
    with running_cluster() as cluster:
        with psycopg.connect(cluster.url, autocommit=True) as connection:
            connection.execute("alter system set fsync = on")
            connection.execute("select pg_reload_conf()")
        before, after = (_database(cluster, revision) for revision in ("0013", "head"))
        return [_row(writers, _in_turn(before, after, writers, seconds)) for writers in WRITERS]


def _row(writers: int, rates: tuple[float, float]) -> Row:
    locked, free = rates
    gated = writers == WRITERS[-1]
    return Row(
        part="events",
        measure=f"events a second, {writers} writers; with a lock",
        found=f"{free:,.0f}/s",
        baseline=f"{locked:,.0f}/s",
        ratio=free / locked,
        budget=f">= {BUDGET:.2f}x" if gated else "",
        within=not gated or free >= BUDGET * locked,
    )


def _database(cluster: Cluster, revision: str) -> str:
    with psycopg.connect(cluster.url, autocommit=True) as connection:
        connection.execute(f"create database events_{revision}")
    url = cluster.url.replace("/postgres?", f"/events_{revision}?")
    upgrade_to(url, revision)
    return url


def _in_turn(before: str, after: str, writers: int, seconds: float) -> tuple[float, float]:
    """Median of three rounds each, in turn, so that both see the same machine."""
    locked, free = [], []
    for _ in range(3):
        locked.append(_rate(before, writers, seconds))
        reader = _Reader(after)
        free.append(_rate(after, writers, seconds))
        reader.stop()
    return sorted(locked)[1], sorted(free)[1]


class _Reader:
    """Numbers and reads what is written meanwhile, as a follower does."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._ended = Event()
        self._thread = Thread(target=self._read)
        self._thread.start()

    def stop(self) -> None:
        self._ended.set()
        self._thread.join()

    def _read(self) -> None:
        store = open_store(self._url, clock=SetClock())
        cursor = store.records.newest_event()
        while not self._ended.wait(0.05):
            page = store.records.events_after(cursor)
            cursor = page[-1].cursor if page else cursor
        store.close()


def _rate(url: str, writers: int, seconds: float) -> float:
    begin = Barrier(writers)
    with ThreadPoolExecutor(writers) as pool:
        written: Sequence[int] = list(pool.map(lambda _: _write(url, begin, seconds), range(writers)))
    return sum(written) / seconds


def _write(url: str, begin: Barrier, seconds: float) -> int:
    written = 0
    with psycopg.connect(url, autocommit=True) as connection:
        begin.wait()
        ends = time.perf_counter() + seconds
        while time.perf_counter() < ends:
            connection.execute(_INSERT, (f"{next(_OP_IDS)}",))
            written += 1
    return written
