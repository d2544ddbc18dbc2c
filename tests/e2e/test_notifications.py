"""Notifications on a whole engine: a channel that hangs holds no book, and each notice arrives once."""

import asyncio
import json
import socket
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import pytest
from temporalio.client import WorkflowExecution, WorkflowExecutionStatus

from penwright.domain.book.files.layout import CONFIG
from tests.e2e.conftest import NewBook
from tests.support.books.running_books import RunningBook
from tests.support.engine.desk import answers, notices_sent
from tests.support.engine.stand import Desk, Stand, desk

pytestmark = [pytest.mark.server, pytest.mark.xdist_group("engine")]

POLL_S = 0.05


@contextmanager
def silent_server() -> Iterator[str]:
    """A webhook that takes connections and never answers."""
    with socket.create_server(("127.0.0.1", 0), backlog=64) as listening:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/hook"


@asynccontextmanager
async def desk_with_a_silent_webhook(stand: Stand, folder: Path) -> AsyncIterator[Desk]:
    notices = folder / "notices.jsonl"
    with silent_server() as url:
        async with desk(
            stand,
            folder,
            PENWRIGHT_NOTIFY__WEBHOOK_URL=url,
            PENWRIGHT_NOTIFY__COMMAND=json.dumps(["sh", "-c", f"cat >> '{notices}'; echo >> '{notices}'"]),
        ) as at:
            at.says(*answers())
            yield at


async def test_sessions_end_and_others_open_while_a_webhook_does_not_answer(
    stand: Stand, tmp_path: Path, new_book: NewBook
) -> None:
    books = [new_book(target=1000) for _ in range(6)]

    async with desk_with_a_silent_webhook(stand, tmp_path) as at:
        begun = time.monotonic()
        ended = await asyncio.gather(*(at.run(book.session("says-nothing", at.environ)) for book in books))
        again = await at.run(books[0].session("s1", at.environ))
        took = time.monotonic() - begun
        waiting = [await _notification(at, book, "says-nothing") for book in books]

    assert [one.outcome for one in ended] == ["failed"] * 6
    assert again.outcome == "closed"
    assert took < 40
    assert waiting == [WorkflowExecutionStatus.RUNNING] * 6


async def test_an_engine_whose_other_channel_hangs_sends_each_notice_once(
    stand: Stand, tmp_path: Path, new_book: NewBook
) -> None:
    book = new_book(target=1000)
    book.git("rm", "-q", CONFIG)
    book.commit("No settings")

    async with desk_with_a_silent_webhook(stand, tmp_path) as at:
        refused = await at.run(book.session("s1", at.environ))
        (notice,) = await notices_sent(at, book.book_id)

    assert refused.outcome == "refused"
    assert notice["data"]["code"] == "config-missing"


async def _notification(at: Desk, book: RunningBook, session: str) -> WorkflowExecutionStatus | None:
    """The status of the notification about this session's end."""
    query = f'WorkflowType = "Notification" AND PenwrightSubject = "{book.book_id}"'
    found: list[WorkflowExecution] = []

    async def listed() -> bool:
        found[:] = [each async for each in at.stand.client.list_workflows(query)]
        return bool(found)

    await _until(listed)
    assert [each.id.startswith(f"notice/book/{book.book_id}#{session}:") for each in found] == [True]
    return found[0].status


async def _until(happened: Callable[[], Awaitable[bool]]) -> None:
    """Poll for a condition that has no event."""
    async with asyncio.timeout(60):
        while not await happened():  # noqa: ASYNC110
            await asyncio.sleep(POLL_S)
