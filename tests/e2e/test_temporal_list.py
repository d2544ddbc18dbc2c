"""The board of twelve scheduled books, read from the list of the Temporal UI alone.

The UI lists what ``list_workflows`` returns: type, id, status and search attributes.
"""

import asyncio
import shutil
from collections.abc import Awaitable, Callable, Mapping
from datetime import timedelta
from pathlib import Path

import pytest
from temporalio.client import Client, WorkflowExecution

from gateway.desk.pipelines import Timetable
from gateway.desk.temporal.schedules import BOOKS, TemporalSchedules
from penwright.domain.book.files.layout import CONFIG, KILL
from penwright.domain.intents.registry import REGISTRY
from tests.e2e.conftest import NewBook
from tests.support.books.running_books import NARROW, RunningBook
from tests.support.engine.stand import Desk

pytestmark = [pytest.mark.server, pytest.mark.xdist_group("engine")]

DOCUMENT = Path(__file__).parents[2] / "docs/temporal-ui.md"
POLL_S = 0.2
BOARD = 'PenwrightPipeline IN ("book-session", "book-errand")'
WAITING = 'ExecutionStatus = "Running" AND PenwrightStage IN ("paused", "approval")'
ENDED_BADLY = 'PenwrightOutcome IN ("refused", "failed", "killed", "timed-out")'
NOT_PUSHED = 'PenwrightOutcome = "written" AND PenwrightCode IS NOT NULL'

Row = tuple[str, str, str, str]
"""Status, stage, outcome and code."""

WRITTEN: Row = ("COMPLETED", "close", "written", "")
EXPECTED: Mapping[str, Row] = {
    **{f"quiet {number}": WRITTEN for number in range(4)},
    "sealed": ("COMPLETED", "push", "sealed", ""),
    "refused": ("COMPLETED", "close", "refused", "config-missing"),
    "killed": ("COMPLETED", "close", "killed", "kill-file"),
    "failed": ("FAILED", "close", "failed", "unusable-reply"),
    "paused": ("RUNNING", "paused", "", ""),
    "waits for approval": ("RUNNING", "approval", "", ""),
    "dead remote": ("COMPLETED", "close", "written", "remote-absent"),
    "gone": ("COMPLETED", "close", "refused", "workspace-missing"),
}


@pytest.fixture
def board(new_book: NewBook) -> dict[str, RunningBook]:
    """Twelve books by what will become of them."""
    books = {name: new_book("silent" if name == "failed" else "e2e", target=1000) for name in EXPECTED}
    books["refused"].git("rm", "-q", CONFIG)
    books["refused"].commit("No settings")
    books["killed"].write(KILL, "")
    books["waits for approval"].write(REGISTRY, NARROW)
    books["waits for approval"].commit("Only the review")
    elsewhere = books["dead remote"].folder / "nowhere.git"
    books["dead remote"].git("remote", "set-url", "origin", str(elsewhere))
    return books


async def test_the_board_of_twelve_books_is_read_from_temporals_list(
    shared_desk: Desk, board: dict[str, RunningBook]
) -> None:
    client, environ = shared_desk.stand.client, shared_desk.environ
    await _scheduled(shared_desk, board)
    ready = [name for name in EXPECTED if name != "sealed"]
    for name in ready:
        await client.get_schedule_handle(f"book/{board[name].book_id}").trigger()
    await _until(lambda: _is_open(client, board["paused"]))
    await shared_desk.pipelines.signal(board["paused"].book_id, "pause")
    await shared_desk.pipelines.errand(board["sealed"].errand("complete", "e1", environ, early=True))

    shown: dict[str, Row] = {}

    async def is_settled() -> bool:
        shown.update(await _rows(client, board, BOARD))
        return shown == EXPECTED

    try:
        async with asyncio.timeout(150):
            await _until(is_settled)
    except TimeoutError:
        assert shown == EXPECTED
    assert (await _rows(client, board, WAITING)).keys() == {"paused", "waits for approval"}
    assert (await _rows(client, board, f"{BOARD} AND {ENDED_BADLY}")).keys() == {
        *("refused", "killed", "failed", "gone")
    }
    assert (await _rows(client, board, f"{BOARD} AND {NOT_PUSHED}")).keys() == {"dead remote"}
    await _cleared(shared_desk, board)


def test_the_queries_of_the_board_are_documented() -> None:
    text = DOCUMENT.read_text("utf-8")

    assert [query for query in (BOARD, WAITING, ENDED_BADLY, NOT_PUSHED) if query not in text] == []


async def _scheduled(at: Desk, board: dict[str, RunningBook]) -> None:
    """A schedule for each; the one that will need approval has prose that its next close would move."""
    await at.run(board["waits for approval"].session("s1", at.environ))
    schedules = TemporalSchedules(at.stand.client, at.environ["PENWRIGHT_WORKER__QUEUE"], BOOKS)
    for name, book in board.items():
        writer = "outside" if name == "paused" else "built-in"
        given = book.session("unnamed", at.environ, writer=writer)
        await schedules.put(given, Timetable(every=timedelta(hours=9)))
    shutil.rmtree(board["gone"].folder)


async def _cleared(at: Desk, board: dict[str, RunningBook]) -> None:
    """End what still waits, and delete the schedules."""
    schedules = TemporalSchedules(at.stand.client, at.environ["PENWRIGHT_WORKER__QUEUE"], BOOKS)
    for name in ("paused", "waits for approval"):
        await at.stand.client.get_workflow_handle(f"book/{board[name].book_id}").terminate()
    for one in await schedules.all():
        if one.subject in {book.book_id for book in board.values()}:
            await schedules.remove(one.subject)


async def _rows(client: Client, board: dict[str, RunningBook], query: str) -> dict[str, Row]:
    """The newest row of each book that ``query`` finds, by its name on the board."""
    names = {str(book.book_id): name for name, book in board.items()}
    found: dict[str, Row] = {}
    async for run in client.list_workflows(query):
        name = names.get(str(_attribute(run, "Subject")))
        if name is not None and name not in found:
            found[name] = _row(run)
    return found


def _row(run: WorkflowExecution) -> Row:
    status = run.status.name if run.status else ""
    return status, _attribute(run, "Stage"), _attribute(run, "Outcome"), _attribute(run, "Code")


def _attribute(run: WorkflowExecution, name: str) -> str:
    pairs = {pair.key.name: pair.value for pair in run.typed_search_attributes}
    return str(pairs.get(f"Penwright{name}", ""))


async def _is_open(client: Client, book: RunningBook) -> bool:
    rows = await _rows(client, {"paused": book}, BOARD)
    return "paused" in rows and book.git("log", "--format=%s", "-1").startswith("Open")


async def _until(happened: Callable[[], Awaitable[bool]]) -> None:
    """Poll for a condition that the server sends no event for."""
    while not await happened():  # noqa: ASYNC110
        await asyncio.sleep(POLL_S)
