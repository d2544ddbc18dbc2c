"""``python -m tests.browser.pictures``: the README's pictures, made anew."""

import asyncio
import json
import shutil
import sys
import tempfile
from pathlib import Path

from playwright.async_api import Page, async_playwright

from gateway.desk.installed_services import InstalledServices
from tests.browser.stock import Stock, stocked
from tests.support.engine.home import EngineHome, engine_home
from tests.support.engine.shared import settings_of

FOLDER = Path(__file__).parents[2] / "docs" / "pictures"
SIZE = {"width": 1280, "height": 800}
_SETTLED_MS = 1_500
"""Charts draw themselves for a second."""


def pages_of(stock: Stock) -> dict[str, str]:
    """Which page each picture shows."""
    return {
        "board": "/",
        "review": f"/books/{stock.book}/review",
        "write": f"/books/{stock.book}/write",
        "scene": f"/scenes/{stock.scene}",
    }


async def make() -> None:
    """Start an engine of its own, fill it by the demo model, and take the pictures."""
    folder = Path(tempfile.mkdtemp(prefix="pw-"))
    (folder / "penwright.toml").write_text(settings_of(folder), encoding="utf-8")
    home = engine_home(PENWRIGHT_CONFIG=str(folder / "penwright.toml"), PENWRIGHT_WEB__ENABLED="true")
    try:
        await asyncio.to_thread(home.cli, "up", "--detach")
        stock = await stocked(InstalledServices(home.environ), folder)
        await _taken(home, stock)
    finally:
        await asyncio.to_thread(home.cli, "down")
        home.remove()
        shutil.rmtree(folder, ignore_errors=True)


async def _taken(home: EngineHome, stock: Stock) -> None:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        page = await browser.new_page(viewport={"width": SIZE["width"], "height": SIZE["height"]})
        await page.goto(json.loads((await asyncio.to_thread(home.cli, "web", "--json")).stdout)["link"])
        await page.wait_for_url("**/ui/")
        address = f"{InstalledServices(home.environ).web_address()}/ui"
        for name, path in pages_of(stock).items():
            await _picture(page, address + path, FOLDER / f"{name}.png")
        await browser.close()


async def _picture(page: Page, address: str, file: Path) -> None:
    await page.goto(address)
    await page.locator("h1").wait_for()
    await page.wait_for_timeout(_SETTLED_MS)
    taken = await page.screenshot(path=file)
    sys.stdout.write(f"{file.name}: {len(taken) // 1024} KB\n")


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    asyncio.run(make())
