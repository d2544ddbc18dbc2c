"""The editor in a real browser: from a key to the frame that shows it, in a long text that others change."""

import asyncio
import json
import shutil
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from playwright.async_api import Page, async_playwright

from gateway.cli.book.init import init_book
from gateway.desk.installed_services import InstalledServices
from gateway.desk.works import books
from tests.bench.report import Row, percentile, row_of, say
from tests.support.books.repos import git
from tests.support.engine.home import EngineHome, engine_home, until

SIZE, KEYS = 1_000_000, 100
BUDGET_MS = 50.0
PATH = "Global Material/Long.md"
_AUTHOR = ("-c", "user.name=Ann", "-c", "user.email=ann@example.org")
_FRAMES = """() => {
    window.frames = [];
    document.addEventListener("keydown", () => {
        const began = performance.now();
        const shown = () => window.frames.push(performance.now() - began);
        requestAnimationFrame(() => requestAnimationFrame(shown));
    }, true);
}"""
_LINE = "The tide came in over the flats, and the lamp on the jetty was lit again that night.\n\n"


def run(size: int = SIZE, keys: int = KEYS) -> list[Row]:
    """Two people type into one text; the baseline is a short text."""
    chromium = shutil.which("chromium")
    if chromium is None:
        say("editor: no `chromium` on PATH, not measured")
        return []
    say(f"editor: {size:,} characters, two people, {keys} keys each")
    return asyncio.run(_measured(chromium, size, keys))


async def _measured(chromium: str, size: int, keys: int) -> list[Row]:
    async with _book(size) as (home, address):
        long = await _typed(chromium, home, address, PATH, keys, people=2)
        short = await _typed(chromium, home, address, "Global Material/Soul.md", keys, people=1)
    say(f"editor: key to the second frame, p95 {percentile(long, 0.95):.0f} ms, worst {max(long):.0f} ms")
    label = f"key to frame, {size // 1000:,} KB, two people; a short text"
    return [row_of("editor", label, long, short, BUDGET_MS)]


@asynccontextmanager
async def _book(size: int) -> AsyncIterator[tuple[EngineHome, str]]:
    home, folder = engine_home(PENWRIGHT_WEB__ENABLED="true"), Path(tempfile.mkdtemp(prefix="pw-"))
    try:
        await asyncio.to_thread(home.cli, "up", "--detach")
        services, place = InstalledServices(home.environ), folder / "tide"
        await asyncio.to_thread(
            init_book, services, place, {"title": "Long Tide", "author": "M. Orr"}, ask=False
        )
        (place / PATH).write_text(_LINE * (size // len(_LINE)), encoding="utf-8")
        git(place, "add", "-A")
        git(
            place,
            "-c",
            "user.name=Ann",
            "-c",
            "user.email=ann@example.org",
            "commit",
            "-q",
            "-m",
            "A long text",
        )
        book = await asyncio.to_thread(books.find, services, str(place))
        await asyncio.to_thread(books.enter, services, book)
        await asyncio.to_thread(until, lambda: home.record().children["web"].state == "ready")
        yield home, f"{services.web_address()}/ui/books/{book.book_id}/write?path="
    finally:
        await asyncio.to_thread(home.cli, "down")
        home.remove()
        shutil.rmtree(folder, ignore_errors=True)


async def _typed(
    chromium: str, home: EngineHome, address: str, path: str, keys: int, *, people: int
) -> list[float]:
    """Milliseconds from each key to the second frame after it.

    Raises:
        RuntimeError: the texts of the two differ in the end.
    """
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        contexts = [await browser.new_context() for _ in range(people)]
        pages = [await _opened(await each.new_page(), home, address + path) for each in contexts]
        await asyncio.gather(*(page.keyboard.type("abcde" * (keys // 5), delay=20) for page in pages))
        texts = {await _settled(page) for page in pages}
        found = [each for page in pages for each in await page.evaluate("window.frames")]
        await browser.close()
    if len(texts) != 1:
        raise RuntimeError("the texts of the two people differ")
    return found


async def _opened(page: Page, home: EngineHome, address: str) -> Page:
    link = json.loads((await asyncio.to_thread(home.cli, "web", "--json")).stdout)["link"]
    await page.goto(link)
    await page.wait_for_url("**/ui/")
    await page.goto(address)
    await page.locator(".cm-content").click()
    await page.evaluate(_FRAMES)
    return page


async def _settled(page: Page) -> str:
    await page.locator(".prose-state[data-state='stored'], .prose-state[data-state='saved']").wait_for()
    await asyncio.sleep(3)
    shown: str = await page.evaluate(
        """async () => {
            const CM = await import("nicegui-codemirror");
            return CM.EditorView.findFromDOM(document.querySelector(".cm-editor")).state.doc.toString();
        }"""
    )
    return shown
