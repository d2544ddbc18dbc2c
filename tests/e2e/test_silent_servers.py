"""Remotes and models that take connections and never answer hold up only those that asked them."""

import asyncio
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from gateway.desk.installed_services import InstalledServices
from gateway.desk.manuscript import new_novels
from schemas.book_session import Closed
from schemas.outside_session import DeliverProse, SessionProse
from tests.e2e.conftest import NewBook
from tests.e2e.test_manuscripts import INSTRUCTIONS, Author
from tests.support.books.running_books import RunningBook, prose_of
from tests.support.engine.desk import answers
from tests.support.engine.stand import Desk, Stand, desk

pytestmark = [pytest.mark.server, pytest.mark.xdist_group("engine")]

SLOTS = 2
"""For repositories, and for each vendor of models, on every stand."""
PATIENCE_S = 120


@contextmanager
def silent_remotes(*books: RunningBook) -> Iterator[None]:
    """Give the books a remote that takes connections and never answers."""
    with socket.create_server(("127.0.0.1", 0), backlog=64) as listening:
        for book in books:
            book.git(
                "remote", "add", "origin", f"git://127.0.0.1:{listening.getsockname()[1]}/{book.book_id}"
            )
        yield


async def stage(at: Desk, book: RunningBook) -> str:
    shown = await at.pipelines.progress(book.book_id)
    return shown.stage if shown else ""


async def reached(at: Desk, wanted: str, *books: RunningBook) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while {await stage(at, book) for book in books} != {wanted}:  # noqa: ASYNC110
            await asyncio.sleep(0.05)


async def by_outside_agent(at: Desk, book: RunningBook) -> Closed:
    await at.pipelines.open(book.session("s1", at.environ, writer="outside"))
    prose = at.stand.store.blobs.put(prose_of("s1").encode())
    return await at.pipelines.close(book.book_id, DeliverProse(written=SessionProse(prose=prose)))


async def test_books_and_novels_go_on_while_every_former_slot_hangs(
    stand: Stand, tmp_path: Path, new_book: NewBook
) -> None:
    silent = [new_book(remote=False) for _ in range(SLOTS)]
    mute, healthy = [new_book() for _ in range(SLOTS)], new_book()

    with silent_remotes(*silent):
        async with desk(stand, tmp_path / "desk", PENWRIGHT_WORKER__GRACE_S="0") as at:
            at.says(*answers())
            new_novels.create(InstalledServices(at.environ), tmp_path / "mills", {"title": "Tide Mills"})
            for book in mute:
                await at.pipelines.start(book.session("hangs", at.environ))
            await reached(at, "write", *mute)
            for book in silent:
                await at.pipelines.start(book.session("s1", at.environ))

            code, ended = await Author(at, tmp_path / "mills").says("write", "-i", INSTRUCTIONS)
            closed = await by_outside_agent(at, healthy)
            hanging = [await stage(at, book) for book in (*silent, *mute)]

    assert (code, ended["status"]) == (0, "finished")
    assert closed.report.status == "closed"
    assert healthy.remote_tip == healthy.tip
    assert hanging == ["open"] * SLOTS + ["write"] * SLOTS
