"""An attempt that wakes up after its retry has done the work: nothing happens twice."""

import asyncio
import os
import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from activities.book_session import BookActivities
from activities.publishing import Planned, Publisher
from penwright.adapters.clock import SystemClock
from penwright.adapters.workspace import GitWorkspaces
from penwright.domain.book.files.layout import LOCK
from penwright.domain.book.profile import BOOK_PROFILE
from penwright.errors import Refused
from penwright.ports.blobs import Blobs
from schemas.base import BlobRef, BookId, Effect, OpId
from schemas.book_session import CloseSession, OpenSession, ReleaseBook, Released
from schemas.outside_session import SessionProse
from schemas.workspace import Contributor
from tests.crash.plays import LAST, PLAIN, Play, open_theatre
from tests.support.books.running_books import RunningBook, lay_out, prose_of
from tests.support.books.sessions import NOON
from tests.support.crash.points import CrashPoint
from tests.support.crash.session_summary import summarise_session
from tests.support.doubles.store import memory_store
from tests.support.engine.crew import crew
from tests.support.engine.stand import Stand, desk

pytestmark = [pytest.mark.crash, pytest.mark.server, pytest.mark.xdist_group("engine")]

MOMENTS = [
    (PLAIN, "open_session", "before"),
    (PLAIN, "close_session", "before"),
    (PLAIN, "close_session", "after"),
    (PLAIN, "push_book", "before"),
    (LAST, "advance_chapter", "before"),
    (LAST, "complete_book", "before"),
]
"""Activities in threads: one that only waits in the event loop learns of its retry and is cancelled."""
LONG = os.environ.get("PENWRIGHT_CRASH") == "long"


@pytest.mark.skipif(not LONG, reason="frozen processes swallow many tasks, each for seconds: `make crash`")
async def test_an_attempt_frozen_with_its_process_changes_nothing_when_it_wakes(
    stand: Stand, tmp_path: Path
) -> None:
    theatre = await open_theatre(stand, tmp_path)

    async def haunted(play: Play, point: CrashPoint) -> tuple[bool, list[str]]:
        folder = tmp_path / f"{play.name}-{point}"
        book = theatre.young.copy(folder / "books", BookId(f"zombie-{point}".replace("_", "-")))
        async with desk(stand, folder / "desk", crash=point) as at:
            play.prepare(book, at)
            acting = asyncio.ensure_future(play.act(book, at))
            await at.crew.stopped("activities")
            async with crew(folder / "second", at.environ):
                result = await acting
                before = summarise_session(book, result, stand.database_url)
                await at.crew.wake_to_retire("activities")
                after = summarise_session(book, result, stand.database_url)
        finished = (at.crew.folder / "crashed.finished").read_text(encoding="ascii").split()
        wrong = [*after.differences(before), *after.differences(await theatre.original(play))]
        return point.activity in finished, wrong

    for play in (PLAIN, LAST):
        await theatre.original(play)
    points = [(play, CrashPoint(name, when, sends=signal.SIGSTOP)) for play, name, when in MOMENTS]  # type: ignore[arg-type]
    outcomes = await asyncio.gather(*(haunted(play, point) for play, point in points))

    assert [wrong for _, wrong in outcomes] == [[]] * len(points)
    # Temporal may withdraw an attempt in the instant it wakes; not every one of them.
    assert any(went_on for went_on, _ in outcomes)


@dataclass(frozen=True)
class SlowBlobs:
    """The store, but the first reader of a text waits for ``go``."""

    real: Blobs
    reading: threading.Event = field(default_factory=threading.Event)
    go: threading.Event = field(default_factory=threading.Event)

    def put(self, content: bytes) -> BlobRef:
        return self.real.put(content)

    def get(self, ref: BlobRef) -> bytes:
        if not self.reading.is_set():
            self.reading.set()
            assert self.go.wait(30)
        return self.real.get(ref)


def order(book: RunningBook, session: str, number: int) -> dict[str, Any]:  # Any: fields of any order
    return {
        "effect": Effect(op_id=OpId(f"book/{book.book_id}#{session}:{number}"), issued_at=NOON),
        "subject": book.book_id,
        "workspace": book.workspace,
        "session": session,
    }


def test_a_close_resumed_after_its_retry_and_a_new_open_changes_nothing(tmp_path: Path) -> None:
    book = lay_out(tmp_path, "slow", target=1000)
    store = memory_store(clock=SystemClock())
    swift = BookActivities(
        GitWorkspaces(SystemClock(), profile=BOOK_PROFILE), store.blobs, store.records, "engine"
    )
    slow = SlowBlobs(store.blobs)
    sleepy = BookActivities(GitWorkspaces(SystemClock(), profile=BOOK_PROFILE), slow, store.records, "engine")
    opened = swift.open_session(OpenSession(**order(book, "s1", 0), writer="built-in"))
    close = CloseSession(
        **order(book, "s1", 2),
        written=SessionProse(prose=store.blobs.put(prose_of("s1").encode()), summary="Told."),
        snapshot_tag=opened.snapshot_tag,
    )

    with ThreadPoolExecutor(1) as threads:
        zombie = threads.submit(sleepy.close_session, close)
        assert slow.reading.wait(30)
        closed = swift.close_session(close)
        swift.open_session(OpenSession(**order(book, "s2", 0), writer="built-in"))
        before, clean = book.tip, book.git("status", "--porcelain")
        slow.go.set()
        late = zombie.result(30)

    assert late == closed
    assert book.tip == before
    assert book.git("status", "--porcelain") == clean == ""
    assert book.steps() == ["open", "close", "open"]
    assert "session: s2" in book.read(LOCK)


def test_an_opening_that_wakes_up_after_its_session_leaves_the_book_alone(
    tmp_path: Path,
) -> None:
    book = lay_out(tmp_path, "slow", target=1000)
    store = memory_store(clock=SystemClock())
    workspaces = GitWorkspaces(SystemClock(), profile=BOOK_PROFILE)
    activities = BookActivities(workspaces, store.blobs, store.records, "engine")
    opening = OpenSession(**order(book, "s1", 0), writer="built-in")
    opened = activities.open_session(opening)
    activities.release_book(ReleaseBook(**order(book, "s1", 1), reason="enough"))
    before = book.tip

    again = activities.open_session(opening)

    assert again == opened
    assert book.tip == before
    assert not (book.folder / LOCK).exists()


@pytest.mark.parametrize("says", ["nothing to do", "no"])
def test_an_overtaken_attempt_returns_the_result_of_the_faster_one(tmp_path: Path, says: str) -> None:
    book = lay_out(tmp_path, "slow", target=1000)
    store = memory_store(clock=SystemClock())
    workspaces = GitWorkspaces(SystemClock(), profile=BOOK_PROFILE)
    activities = BookActivities(workspaces, store.blobs, store.records, "engine")
    activities.open_session(OpenSession(**order(book, "s1", 0), writer="built-in"))
    release = ReleaseBook(**order(book, "s1", 1), reason="enough")

    def plan() -> Planned[Released]:
        activities.release_book(release)
        if says == "no":
            raise Refused("no-active-session", "the lock is gone")
        return Planned(Released())

    publisher = Publisher(workspaces, store.blobs, BOOK_PROFILE)
    done = publisher.commit(release, Released, "release", Contributor.ENGINE, plan)

    assert done.published is not None
    assert done.published.commit == book.tip
    assert book.steps() == ["open", "release"]
