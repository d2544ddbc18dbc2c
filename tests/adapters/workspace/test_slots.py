"""Repositories are worked on by a few at once, and what waits for a remote is none of them."""

import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from penwright.adapters.workspace import GitWorkspaces
from penwright.adapters.workspace.slots import RepositorySlots
from schemas.workspace import Synced
from tests.support.books.repos import ENGINE, KNOWN, Book, add_remote, git, make_repository

PATIENCE_S = 20


def test_work_goes_on_beside_a_step_that_waits_for_a_silent_remote(tmp_path: Path) -> None:
    slow, quick = Book(make_repository(tmp_path / "slow")), Book(make_repository(tmp_path / "quick"))
    port = replace(slow.port, slots=RepositorySlots(1))
    add_remote(slow.folder, tmp_path / "remote.git")

    with socket.create_server(("127.0.0.1", 0)) as listening, ThreadPoolExecutor(2) as threads:
        listening.settimeout(PATIENCE_S)
        git(slow.folder, "remote", "set-url", "origin", f"git://127.0.0.1:{listening.getsockname()[1]}/b")
        waiting = threads.submit(synced, port, slow)
        asked, _ = listening.accept()
        working = threads.submit(synced, port, quick).result(PATIENCE_S)
        still_waits = not waiting.done()
        asked.close()
        refused = waiting.result(PATIENCE_S)

    assert (working.remote, still_waits, refused.remote) == ("none", True, "unreachable")


def synced(port: GitWorkspaces, book: Book) -> Synced:
    with port.kept_open(book.workspace):
        return port.sync(book.workspace, book.effect(), known=KNOWN, engine=ENGINE)


def test_no_more_threads_work_at_once_than_there_are_slots() -> None:
    slots, entered, release = RepositorySlots(2), threading.Semaphore(0), threading.Event()

    def work() -> None:
        with slots.held(), slots.held():
            entered.release()
            release.wait(PATIENCE_S)

    with ThreadPoolExecutor(3) as threads:
        for _ in range(3):
            threads.submit(work)
        two = entered.acquire(timeout=PATIENCE_S) and entered.acquire(timeout=PATIENCE_S)
        third = entered.acquire(blocking=False)
        release.set()
        assert (two, third) == (True, False)
        assert entered.acquire(timeout=PATIENCE_S)


def test_a_slot_comes_back_after_a_failure_at_the_remote() -> None:
    slots = RepositorySlots(1)

    for _ in range(2):
        with pytest.raises(OSError, match="gone"), slots.held(), slots.lent():
            raise OSError("gone")

    with ThreadPoolExecutor(1) as threads, slots.held(), slots.lent():
        assert threads.submit(worked, slots).result(PATIENCE_S)


def worked(slots: RepositorySlots) -> bool:
    with slots.held():
        return True
