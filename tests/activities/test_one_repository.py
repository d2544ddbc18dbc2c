"""An activity uses one open repository for all its workspace operations."""

import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from activities.book_session import BookActivities
from penwright.adapters.clock import SystemClock
from penwright.adapters.scaffold.book_mark import BookMark, is_registered, write_mark
from penwright.adapters.workspace import GitWorkspaces
from penwright.domain.book.profile import BOOK_PROFILE
from penwright.domain.intents.gate import IntentGate
from penwright.domain.trace.recorder.recording import LedgerRecorder
from penwright.errors import BrokenWorkspace, Refused
from schemas.base import Effect, OpId
from schemas.book_errand import RestoreBook
from schemas.book_session import CloseSession, OpenSession
from schemas.outside_session import SessionProse
from schemas.workspace import Workspace
from tests.support.books.repos import git, make_repository
from tests.support.books.running_books import RunningBook, lay_out, prose_of
from tests.support.books.started_gits import note_started
from tests.support.doubles.store import memory_store

MOST = 8
"""Gits that one closing of a session may start."""


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The git commands started since, by name."""
    return note_started(monkeypatch)


def request(book: RunningBook, number: int) -> dict[str, Any]:  # Any: fields of any request
    now = datetime.now(UTC)
    return {
        "effect": Effect(op_id=OpId(f"book/{book.book_id}#s1:{number}"), issued_at=now),
        "subject": book.book_id,
        "workspace": book.workspace,
        "session": "s1",
    }


def test_a_close_starts_few_gits(tmp_path: Path, started: list[str]) -> None:
    book = lay_out(tmp_path, "slow", target=1000)
    store = memory_store(clock=SystemClock())
    workspaces = GitWorkspaces(
        SystemClock(), IntentGate(BOOK_PROFILE), LedgerRecorder("test", BOOK_PROFILE), profile=BOOK_PROFILE
    )
    activities = BookActivities(workspaces, store.blobs, store.records, "engine")
    opened = activities.open_session(OpenSession(**request(book, 0), writer="built-in"))
    prose = store.blobs.put(prose_of("s1").encode())
    started.clear()

    activities.close_session(
        CloseSession(
            **request(book, 1),
            written=SessionProse(prose=prose, summary="Told."),
            snapshot_tag=opened.snapshot_tag,
            pin=opened.pin,
        )
    )

    assert started.count("cat-file") <= 1
    assert len(started) <= MOST, started
    assert book.steps()[-2:] == ["open", "close"]


def test_threads_do_not_share_a_repository(tmp_path: Path, started: list[str]) -> None:
    workspace = Workspace(path=str(make_repository(tmp_path / "book")))
    workspaces = GitWorkspaces(SystemClock(), profile=BOOK_PROFILE)
    git(tmp_path / "book", "gc", "-q")  # what is not packed is read without git
    started.clear()

    with workspaces.kept_open(workspace):
        with workspaces.kept_open(workspace):
            workspaces.snapshot(workspace, ())
        workspaces.snapshot(workspace, ())
        thread = threading.Thread(target=workspaces.snapshot, args=(workspace, ()))
        thread.start()
        thread.join()
    assert started == ["config", "cat-file", "cat-file"]

    workspaces.snapshot(workspace, ())
    assert started == ["config", "cat-file", "cat-file", "cat-file"]


def test_a_repository_is_closed_when_the_activity_fails(tmp_path: Path) -> None:
    workspace = Workspace(path=str(make_repository(tmp_path / "book")))
    workspaces = GitWorkspaces(SystemClock(), profile=BOOK_PROFILE)

    with pytest.raises(ZeroDivisionError), workspaces.kept_open(workspace):
        raise ZeroDivisionError
    (tmp_path / "book/.git").rename(tmp_path / "gone")

    with pytest.raises(BrokenWorkspace):
        workspaces.snapshot(workspace, ())


def test_a_step_refuses_a_repository_that_was_not_registered(tmp_path: Path) -> None:
    """An order names its folder; the repository of a program is no book because an order says so."""
    book, store = lay_out(tmp_path, "plain"), memory_store(clock=SystemClock())
    workspaces = GitWorkspaces(SystemClock(), profile=BOOK_PROFILE, registered=is_registered)
    activities = BookActivities(workspaces, store.blobs, store.records, "engine")
    before = book.git("rev-parse", "main")

    with pytest.raises(Refused) as refused:
        activities.restore_book(RestoreBook(**request(book, 0), kind="reset"))
    assert (refused.value.code, book.git("rev-parse", "main")) == ("folder-unregistered", before)

    write_mark(book.workspace, BookMark(book.book_id, book.workspace.path))
    assert activities.restore_book(RestoreBook(**request(book, 0), kind="reset")).status == "reset"
