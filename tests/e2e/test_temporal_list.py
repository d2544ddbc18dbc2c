"""The board of twelve scheduled books, read from the pages of the Temporal UI and the list behind them."""

import asyncio
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from datetime import timedelta
from functools import partial
from pathlib import Path
from urllib.parse import quote
from uuid import uuid4

import pytest
from playwright.async_api import Page, async_playwright
from temporalio.client import Client, WorkflowExecution

from gateway.desk.engine.pipelines import Timetable
from gateway.desk.engine.temporal.schedules import TemporalSchedules
from penwright.domain.book.files.layout import CONFIG, KILL
from penwright.domain.intents.registry import REGISTRY
from tests.support.books.running_books import NARROW, RunningBook, lay_out
from tests.support.engine.stand import Desk
from tests.support.engine.temporal import TemporalServer
from tests.support.programs import CHROMIUM

pytestmark = [pytest.mark.server, pytest.mark.xdist_group("engine")]

DOCUMENT = Path(__file__).parents[2] / "docs/temporal-ui.md"
POLL_S = 0.2
BOARD = 'PenwrightPipeline IN ("book-session", "book-errand")'
WAITING = 'ExecutionStatus = "Running" AND PenwrightStage IN ("paused", "approval", "deciding")'
ENDED_BADLY = 'PenwrightOutcome IN ("refused", "failed", "killed", "timed-out")'
NOT_PUSHED = 'PenwrightOutcome = "written" AND PenwrightCode IS NOT NULL'
COLUMNS = ("PenwrightSubject", "PenwrightStage", "PenwrightOutcome", "PenwrightCode")

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


@pytest.fixture(scope="module")
async def board(
    shared_desk: Desk, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[dict[str, RunningBook]]:
    """Twelve books by what has become of them; both readers of the board look at these."""
    books = _laid_out(tmp_path_factory.mktemp("board"))
    client, environ = shared_desk.stand.client, shared_desk.environ
    await _scheduled(shared_desk, books)
    for name in (name for name in EXPECTED if name != "sealed"):
        await client.get_schedule_handle(f"book/{books[name].book_id}").trigger()
    await _until(lambda: _is_open(client, books["paused"]))
    await shared_desk.pipelines.signal(books["paused"].book_id, "pause")
    await shared_desk.pipelines.errand(books["sealed"].errand("complete", "e1", environ, early=True))
    yield books
    await _cleared(shared_desk, books)


def _laid_out(folder: Path) -> dict[str, RunningBook]:
    books: dict[str, RunningBook] = {}
    for name in EXPECTED:
        book_id = f"{'silent' if name == 'failed' else 'e2e'}-{uuid4().hex[:8]}"
        books[name] = lay_out(folder / book_id, book_id, target=1000)
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
    client = shared_desk.stand.client
    await _shows(partial(_rows, client, board, BOARD))

    assert (await _rows(client, board, WAITING)).keys() == {"paused", "waits for approval"}
    assert (await _rows(client, board, f"{BOARD} AND {ENDED_BADLY}")).keys() == {
        *("refused", "killed", "failed", "gone")
    }
    assert (await _rows(client, board, f"{BOARD} AND {NOT_PUSHED}")).keys() == {"dead remote"}


@pytest.mark.program("chromium")
async def test_the_board_of_twelve_books_is_read_from_temporals_pages(
    board: dict[str, RunningBook], temporal_server: TemporalServer
) -> None:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = await browser.new_page(viewport={"width": 1800, "height": 900})
        await _add_columns(
            page,
            f"http://127.0.0.1:{temporal_server.ui_port}/namespaces/{temporal_server.namespace}/workflows",
        )
        await _shows(partial(_rows_on, page, board))
        await browser.close()


async def _shows(read: Callable[[], Awaitable[dict[str, Row]]]) -> None:
    """Read until the board is as expected."""
    shown: dict[str, Row] = {}

    async def is_settled() -> bool:
        shown.update(await read())
        return shown == EXPECTED

    try:
        async with asyncio.timeout(150):
            await _until(is_settled)
    except TimeoutError:
        assert shown == EXPECTED


async def _add_columns(page: Page, address: str) -> None:
    """Choose the columns that the document names, as a person does once."""
    await page.goto(address)
    await page.get_by_test_id("workflows-summary-table-configuration-button").click()
    for name in COLUMNS:
        await page.get_by_test_id(f"orderable-list-item-{name}-add-button").click()


async def _rows_on(page: Page, board: dict[str, RunningBook]) -> dict[str, Row]:
    """The newest row of each book on the page, by its name on the board."""
    subjects = ", ".join(f'"{book.book_id}"' for book in board.values())
    # Other tests use the same engine: theirs would fill the page.
    query = quote(f"{BOARD} AND PenwrightSubject IN ({subjects})")
    await page.goto(f"{page.url.partition('?')[0]}?query={query}")
    await page.get_by_role("columnheader", name=COLUMNS[-1]).wait_for()
    await page.locator("tbody tr").first.wait_for()
    names = await page.locator("thead th").all_inner_texts()
    places = [names.index(name) for name in ("Status", *COLUMNS)]
    books = {str(book.book_id): name for name, book in board.items()}
    found: dict[str, Row] = {}
    for row in await page.locator("tbody tr").all():
        cells = await row.locator("td").all_inner_texts()
        status, subject, stage, outcome, code = (cells[place].strip() for place in places)
        found.setdefault(books[subject], (status.upper(), stage, outcome, code))
    return found


@pytest.mark.smoke
def test_the_queries_of_the_board_are_documented() -> None:
    text = DOCUMENT.read_text("utf-8")

    assert [each for each in (BOARD, WAITING, ENDED_BADLY, NOT_PUSHED, *COLUMNS) if each not in text] == []


async def _scheduled(at: Desk, board: dict[str, RunningBook]) -> None:
    """A schedule for each; the one that will need approval has prose that its next close would move."""
    await at.run(board["waits for approval"].session("s1", at.environ))
    schedules = TemporalSchedules(at.stand.client, at.environ["PENWRIGHT_WORKER__QUEUE"])
    for name, book in board.items():
        writer = "outside" if name == "paused" else "built-in"
        given = book.session("unnamed", at.environ, writer=writer)
        await schedules.put(given, Timetable(every=timedelta(hours=9)))
    shutil.rmtree(board["gone"].folder)


async def _cleared(at: Desk, board: dict[str, RunningBook]) -> None:
    """End what still waits, and delete the schedules."""
    schedules = TemporalSchedules(at.stand.client, at.environ["PENWRIGHT_WORKER__QUEUE"])
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
