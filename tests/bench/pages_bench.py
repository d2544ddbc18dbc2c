"""An open page in a real browser: from the commit of an event to the page that tells of it."""

import asyncio
import json
import shutil
import statistics
import time
from contextlib import aclosing
from datetime import UTC, datetime

from playwright.async_api import Page, async_playwright

from gateway.desk.installed_services import InstalledServices
from gateway.desk.services import CommandStore
from schemas.records import Event, RunRow
from tests.bench.report import Row, milliseconds, percentile, say
from tests.support.engine.home import EngineHome, engine_home, until

EVENTS = 40
BUDGET_MS = 100.0
_RUN = "book/tide#bench"
_APART_S = 0.4
_SEEN = """() => {
    window.seen = {};
    new MutationObserver(() => {
        const told = /number (\\d+)/.exec(document.querySelector(".newest").textContent);
        if (told && !(told[1] in window.seen)) window.seen[told[1]] = Date.now();
    }).observe(document.body, { subtree: true, childList: true, characterData: true });
}"""


def run(events: int = EVENTS) -> list[Row]:
    """The board shows each event; the baseline is a reader of the store in another process."""
    chromium = shutil.which("chromium")
    if chromium is None:
        say("pages: no `chromium` on PATH, not measured")
        return []
    say(f"pages: {events} events on an open board")
    return asyncio.run(_measured(chromium, events))


async def _measured(chromium: str, events: int) -> list[Row]:
    home = engine_home(PENWRIGHT_WEB__ENABLED="true")
    try:
        await asyncio.to_thread(home.cli, "up", "--detach")
        await asyncio.to_thread(until, lambda: home.record().children["web"].state == "ready")
        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            page = await _opened(await browser.new_page(), home)
            with InstalledServices(home.environ).open_store() as store:
                shown, heard = await _noted(page, store, events)
            await browser.close()
    finally:
        await asyncio.to_thread(home.cli, "down")
        home.remove()
    return [_compared(shown, heard)]


def _compared(shown: list[float], heard: list[float]) -> Row:
    late, read = percentile(shown, 0.95), percentile(heard, 0.95)
    say(f"pages: median {statistics.median(shown):.0f} ms, worst {max(shown):.0f} ms")
    return Row(
        part="pages",
        measure="p95 from an event's commit to the page; to a reader of the store",
        found=milliseconds(late),
        baseline=milliseconds(read),
        ratio=late / read,
        budget=f"<= {BUDGET_MS:.0f} ms",
        within=late <= BUDGET_MS,
    )


async def _opened(page: Page, home: EngineHome) -> Page:
    link = json.loads((await asyncio.to_thread(home.cli, "web", "--json")).stdout)["link"]
    await page.goto(link)
    await page.wait_for_url("**/ui/")
    await page.locator("h1").wait_for()
    await page.evaluate(_SEEN)
    return page


async def _noted(page: Page, store: CommandStore, events: int) -> tuple[list[float], list[float]]:
    """Milliseconds from each commit until the page, and a reader here, knew of the event."""
    begun: dict[int, float] = {}
    heard: dict[int, float] = {}
    reading = asyncio.create_task(_read(store, heard))
    for number in range(events):
        await asyncio.sleep(_APART_S)
        await asyncio.to_thread(store.records.note, _row(), [_event(number)])
        begun[number] = time.time() * 1_000
    await asyncio.sleep(2 * _APART_S)
    reading.cancel()
    seen = {int(number): at for number, at in (await page.evaluate("window.seen")).items()}
    return [seen[each] - begun[each] for each in begun], [heard[each] - begun[each] for each in begun]


async def _read(store: CommandStore, heard: dict[int, float]) -> None:
    async with aclosing(store.feed.follow(store.records.newest_event())) as events:  # type: ignore[type-var]
        async for event in events:
            heard[event.data["number"]] = time.time() * 1_000


def _row() -> RunRow:
    return RunRow(run=_RUN, pipeline="book-session", subject="tide", stage="write")


def _event(number: int) -> Event:
    at = datetime.now(UTC)
    return Event(
        run=_RUN, subject="tide", kind="worked", at=at, op_id=f"bench/{number}", data={"number": number}
    )
