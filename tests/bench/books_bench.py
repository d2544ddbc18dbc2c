"""What opening, closing and publishing cost on a short, a long and a very long book, network excluded.

The real activities over real git and the engine's PostgreSQL. The sizes take turns, so that a busy machine
is busy for all of them, and every ratio is to the short book of the same minute.
"""

import asyncio
import json
import statistics
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any, Protocol

from activities.book_session import BookActivities
from activities.remembering import TraceMemory
from penwright.adapters.workspace import GitWorkspaces
from penwright.adapters.workspace.publishing import OpenGate
from penwright.domain.book.identity import workflow_id
from penwright.domain.intents.gate import IntentGate
from penwright.domain.trace.recorder.recording import LedgerRecorder
from penwright.ports import Blobs, Records, TraceIndex, Workspaces
from schemas.base import BookId, Effect, OpId
from schemas.book_session import CloseSession, OpenSession
from schemas.workspace import MutationPlan, Published, Workspace
from tests.bench.engine import BenchEngine, running_engine
from tests.bench.long_books import FIRST, SIZES, WORDS_PER_SESSION, Size, make_book
from tests.bench.publish_bench import prose
from tests.bench.report import Row, milliseconds, percentile, say
from tests.support.repos import SettableClock
from workers import memory

GROWTH = 1.5
SMALL = "publish of a small file"
GROWING = "publish that grows the book"
GOALS_MS = {"open": 250.0, "close": 350.0, SMALL: 150.0, GROWING: 150.0}
"""p95 on the largest book. Its text is one file: a publish that adds to it writes all of it anew."""
MOST_HISTORY = 200_000
"""Bytes of a session's history."""

Costs = dict[str, list[float]]


class Shelf(Protocol):
    """The parts of a store that the activities use."""

    @property
    def blobs(self) -> Blobs: ...

    @property
    def records(self) -> Records: ...

    @property
    def trace(self) -> TraceIndex: ...


class TimedPublish:
    """A workspace port that notes what its publishes cost."""

    def __init__(self, real: Workspaces) -> None:
        self._real = real
        self.costs: list[float] = []

    def __getattr__(self, name: str) -> Any:  # whatever the real one has
        return getattr(self._real, name)

    def publish(self, plan: MutationPlan, effect: Effect) -> Published:
        """As the real one."""
        began = time.perf_counter()
        try:
            return self._real.publish(plan, effect)
        finally:
            self.costs.append((time.perf_counter() - began) * 1000)


@dataclass
class Desk:
    """One book and the activities that work on it; a session a day, after those of its past."""

    size: Size
    workspace: Workspace
    store: Shelf
    gated: bool = True
    """With the gate, as the engine works; without it, as the baseline."""
    traced: bool = True
    """With the ledger."""
    costs: Costs = field(default_factory=lambda: defaultdict(list))
    sessions: int = 0

    def __post_init__(self) -> None:
        self._clock = SettableClock(FIRST + timedelta(days=self.size.commits + 1), timedelta(milliseconds=1))
        gate = IntentGate() if self.gated else OpenGate()
        recorder = LedgerRecorder("bench") if self.traced else None
        self._port = TimedPublish(GitWorkspaces(self._clock, gate, recorder))
        store = self.store
        self._activities = BookActivities(self._port, store.blobs, store.records, "bench", store.trace)
        self._memory = TraceMemory(self._port, store.trace)

    def session(self) -> None:
        """Open and close once, and note what each cost; the index follows, as it does after every push."""
        self.sessions += 1
        self._clock.present += timedelta(days=1)
        order: dict[str, Any] = {
            "book_id": BookId(f"bench-{self.size.commits}"),
            "workspace": self.workspace,
            "session": f"s{self.sessions}",
        }
        opening = OpenSession(effect=self._effect("open"), writer="built-in", **order)
        self._port.costs.clear()
        with self._timed("open"):
            opened = self._activities.open_session(opening)
        assert opened.verdict == "open", opened
        self.costs[SMALL] += self._port.costs
        written = self.store.blobs.put(prose(WORDS_PER_SESSION, self.sessions).encode())
        closing = CloseSession(
            effect=self._effect("close"),
            prose=written,
            summary="They met.",
            opened_at=opened.tip,
            snapshot_tag=opened.snapshot_tag,
            model="bench/writer",
            pin=opened.pin,
            **order,
        )
        self._port.costs.clear()
        with self._timed("close"):
            self._activities.close_session(closing)
        self.costs[GROWING] += self._port.costs
        self._memory.keep_up(self.workspace, order["book_id"])

    def forget(self) -> None:
        """Drop what was measured so far."""
        self.costs.clear()

    def _effect(self, step: str) -> Effect:
        op_id = OpId(f"book/bench-{self.size.commits}#s{self.sessions}:{step}")
        return Effect(op_id=op_id, issued_at=self._clock.now())

    @contextmanager
    def _timed(self, name: str) -> Iterator[None]:
        began = time.perf_counter()
        yield
        self.costs[name].append((time.perf_counter() - began) * 1000)


def measure(
    root: Path, store: Shelf, sizes: Sequence[Size], rounds: int, *, warm_up: int = 2
) -> Mapping[Size, Costs]:
    """Milliseconds of each step, by size; the first sessions count the book and warm the caches."""
    desks = []
    for size in sizes:
        say(f"books: building {size.words:,} words in {size.commits:,} commits")
        desks.append(Desk(size, make_book(root / str(size.commits), size), store))
    say(f"books: {rounds} sessions on each of {len(desks)} books")
    for number in range(warm_up + rounds):
        for desk in desks:
            if number == warm_up:
                desk.forget()
            desk.session()
    return {desk.size: desk.costs for desk in desks}


def rows(found: Mapping[Size, Costs]) -> list[Row]:
    """A row per step and size; goals stand at the largest."""
    smallest, largest = min(found, key=_words), max(found, key=_words)
    made = []
    for step, most in GOALS_MS.items():
        for size, costs in found.items():
            last = size == largest
            p50, p95 = statistics.median(costs[step]), percentile(costs[step], 0.95)
            base = statistics.median(found[smallest][step])
            made.append(
                Row(
                    part="books",
                    measure=f"{step}, {size.name}",
                    found=f"{milliseconds(p50)}, p95 {milliseconds(p95)}",
                    baseline=milliseconds(base),
                    ratio=p50 / base,
                    goal=f"p95 <= {most:.0f} ms, <= {GROWTH}x" if last else f"<= {GROWTH}x",
                    within=p50 <= GROWTH * base and (not last or p95 <= most),
                )
            )
    return made


def _words(size: Size) -> int:
    return size.words


def run(rounds: int = 20) -> list[Row]:
    """Build the books and measure them."""
    say("books: starting an engine")
    # As a worker does; from here on nothing is measured without it.
    memory.keep_for_the_next()
    with running_engine() as engine, tempfile.TemporaryDirectory() as root:
        store = engine.store()
        try:
            found = rows(measure(Path(root), store, SIZES, rounds))
        finally:
            store.close()
        return found + histories(engine, Path(root), SIZES)


def histories(engine: BenchEngine, root: Path, sizes: Sequence[Size]) -> list[Row]:
    """What a whole session, run by the engine's own processes, leaves in Temporal."""
    found: dict[Size, int] = {}
    for size in sizes:
        say(f"books: a session of the engine on {size.words:,} words")
        done = engine.home.cli("book", "session", str(root / str(size.commits)), "--json")
        if done.returncode:
            raise RuntimeError(f"the session on {size.name} failed: {done.stdout}{done.stderr}")
        found[size] = asyncio.run(_history_bytes(engine, json.loads(done.stdout)["book_id"]))
    base = found[sizes[0]]
    return [
        Row(
            part="books",
            measure=f"history of a session, {size.name}",
            found=f"{held:,} bytes",
            baseline=f"{base:,} bytes",
            ratio=held / base,
            goal=f"<= {MOST_HISTORY:,} bytes",
            within=held <= MOST_HISTORY,
        )
        for size, held in found.items()
    ]


async def _history_bytes(engine: BenchEngine, book_id: str) -> int:
    client = await engine.client()
    described = await client.get_workflow_handle(workflow_id(BookId(book_id))).describe()
    return described.raw_description.workflow_execution_info.history_size_bytes
