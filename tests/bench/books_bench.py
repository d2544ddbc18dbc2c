"""Time to open, close and publish to a book of a million words, network excluded.

The real activities over real git and PostgreSQL. The baseline is plain git, which commits the same kind of
change to a copy of the book in the same round.
"""

import shutil
import tempfile
from collections import defaultdict
from contextlib import closing
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any, Protocol

from activities.book_session import BookActivities
from activities.trace_reading import keep_anchors
from penwright.adapters.clock import SystemClock
from penwright.adapters.store import open_store
from penwright.adapters.workspace import GitWorkspaces
from penwright.domain.book.files.layout import FULL_BOOK, REVIEW
from penwright.domain.book.profile import BOOK_PROFILE
from penwright.domain.intents.gate import IntentGate
from penwright.domain.trace.recorder.recording import LedgerRecorder
from penwright.domain.trace.source import TraceAnchors
from penwright.ports.blobs import Blobs
from penwright.ports.records import Records
from penwright.ports.workspaces import Workspaces
from schemas.base import BookId, Effect, OpId
from schemas.book_session import CloseSession, OpenSession
from schemas.outside_session import SessionProse
from schemas.workspace import MutationPlan, Published, Workspace
from tests.bench.long_books import FIRST, LONG_BOOK, WORDS_PER_SESSION, Size, make_book, prose
from tests.bench.report import Row, row_of, say, timed
from tests.support.books.repos import SettableClock, git
from tests.support.engine.postgres import migrated_template, running_cluster

SMALL = "publish of a small file"
GROWING = "publish that grows the book"
BUDGETS_MS = {"open": 250.0, "close": 350.0, SMALL: 250.0, GROWING: 250.0}
_PLAIN = {"open": SMALL, "close": GROWING, SMALL: SMALL, GROWING: GROWING}
"""The commit by plain git that is printed as each figure's baseline."""

Costs = dict[str, list[float]]


class Shelf(Protocol):
    """The parts of a store that the activities use."""

    @property
    def blobs(self) -> Blobs: ...

    @property
    def records(self) -> Records: ...

    @property
    def trace(self) -> TraceAnchors: ...


class TimedPublish:
    """A workspace port that notes how long each publish takes."""

    def __init__(self, real: Workspaces) -> None:
        self._real = real
        self.costs: list[float] = []

    def __getattr__(self, name: str) -> Any:  # every other method of the real one
        return getattr(self._real, name)

    def publish(self, plan: MutationPlan, effect: Effect) -> Published:
        """Publish through the real port."""
        cost, published = timed(lambda: self._real.publish(plan, effect))
        self.costs.append(cost)
        return published


@dataclass
class Desk:
    """One book and the activities that work on it; a session a day, after those of its past."""

    size: Size
    workspace: Workspace
    store: Shelf
    costs: Costs = field(default_factory=lambda: defaultdict(list))
    sessions: int = 0

    def __post_init__(self) -> None:
        self._clock = SettableClock(FIRST + timedelta(days=self.size.commits + 1), timedelta(milliseconds=1))
        self._port = TimedPublish(
            GitWorkspaces(
                self._clock,
                IntentGate(BOOK_PROFILE),
                LedgerRecorder("bench", BOOK_PROFILE),
                profile=BOOK_PROFILE,
            )
        )
        store = self.store
        self._activities = BookActivities(self._port, store.blobs, store.records, "bench", store.trace)

    def session(self) -> None:
        """Open and close once; the anchors follow, as after every push."""
        self.sessions += 1
        self._clock.present += timedelta(days=1)
        common: dict[str, Any] = {
            "subject": BookId("bench"),
            "workspace": self.workspace,
            "session": f"s{self.sessions}",
        }
        opening = OpenSession(effect=self._effect("open"), writer="built-in", **common)
        cost, opened = timed(lambda: self._activities.open_session(opening))
        assert opened.verdict == "open", opened
        self._note("open", SMALL, cost)
        closing_ = CloseSession(
            effect=self._effect("close"),
            written=SessionProse(
                prose=self.store.blobs.put(prose(WORDS_PER_SESSION, self.sessions).encode()),
                summary="They met.",
                model="bench/writer",
            ),
            snapshot_tag=opened.snapshot_tag,
            pin=opened.pin,
            **common,
        )
        cost, _ = timed(lambda: self._activities.close_session(closing_))
        self._note("close", GROWING, cost)
        keep_anchors(self._port, self.store.trace, self.workspace, common["subject"])

    def _note(self, step: str, publish: str, cost: float) -> None:
        self.costs[step].append(cost)
        self.costs[publish] += self._port.costs
        self._port.costs.clear()

    def _effect(self, step: str) -> Effect:
        op_id = OpId(f"book/bench#s{self.sessions}:{step}")
        return Effect(op_id=op_id, issued_at=self._clock.now())


@dataclass
class PlainGit:
    """A copy of the book to which plain git commits."""

    folder: Path
    costs: Costs = field(default_factory=lambda: defaultdict(list))
    rounds: int = 0

    def session(self) -> None:
        """Commit one new small file, then the grown book with a review and another small file."""
        self.rounds += 1
        note, entry = f"Changelog/plain-{self.rounds}.md", f"Changelog/grown-{self.rounds}.md"
        (self.folder / note).write_text("Opened.\n", encoding="utf-8")
        self._commit(SMALL, note)
        tail = prose(WORDS_PER_SESSION, self.rounds)
        with (self.folder / FULL_BOOK).open("a", encoding="utf-8") as book:
            book.write("\n" + tail)
        for path in (REVIEW, entry):
            (self.folder / path).write_text(tail, encoding="utf-8")
        self._commit(GROWING, FULL_BOOK, REVIEW, entry)

    def _commit(self, step: str, *paths: str) -> None:
        def commit() -> None:
            git(self.folder, "add", "--", *paths)
            git(self.folder, "commit", "-q", "-m", step)

        self.costs[step].append(timed(commit)[0])


def measure(root: Path, store: Shelf, size: Size, rounds: int, *, warm_up: int = 2) -> tuple[Costs, Costs]:
    """Milliseconds of each step, ours and plain git's; the first sessions count the book and fill caches."""
    say(f"books: building {size.words:,} words in {size.commits:,} commits")
    workspace = make_book(root / "book", size)
    plain = PlainGit(Path(shutil.copytree(root / "book", root / "plain", symlinks=True)))
    desk = Desk(size, workspace, store)
    say(f"books: {rounds} sessions")
    for number in range(warm_up + rounds):
        if number == warm_up:
            desk.costs.clear()
            plain.costs.clear()
        desk.session()
        plain.session()
    return desk.costs, plain.costs


def rows(size: Size, ours: Costs, plain: Costs) -> list[Row]:
    """A row per step."""
    return [
        row_of("books", f"{step}, {size.name}; git commit", ours[step], plain[_PLAIN[step]], most)
        for step, most in BUDGETS_MS.items()
    ]


def run(rounds: int = 30) -> list[Row]:
    """Build the book and measure over a PostgreSQL of its own."""
    with (
        tempfile.TemporaryDirectory() as root,
        running_cluster() as cluster,
        migrated_template(cluster.url) as template,
        closing(open_store(template.url("template"), clock=SystemClock())) as store,
    ):
        return rows(LONG_BOOK, *measure(Path(root), store, LONG_BOOK, rounds))
