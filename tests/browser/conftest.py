"""The engine that tests share, with works in it, and one browser for all browser tests."""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.async_api import Browser, BrowserContext, Page, StorageState, async_playwright, expect

from gateway.desk.installed_services import InstalledServices
from tests.browser.stock import Stock, stocked
from tests.support.engine.home import EngineHome
from tests.support.programs import CHROMIUM

expect.set_options(timeout=20_000)  # four test processes share two cores


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Browser tests share one engine and need a browser."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.server)
            item.add_marker(pytest.mark.program("chromium"))


@dataclass(frozen=True)
class Workspace:
    """A served workspace with something in it."""

    address: str
    stock: Stock
    home: EngineHome

    @property
    def services(self) -> InstalledServices:
        return InstalledServices(self.home.environ)

    @property
    def run(self) -> str:
        """The newest run of the first book, as it stands in an address."""
        with self.services.open_store() as store:
            (newest,) = store.records.runs(subject=self.stock.book, pipeline="book-session", limit=1)
        return quote(newest.run, safe="")


@pytest.fixture(scope="session")
async def workspace(running_engine: EngineHome, tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """The shared engine with two books, a paper and a scene, and the pages of it all."""
    services = InstalledServices(running_engine.environ)
    stock = await stocked(services, tmp_path_factory.mktemp("works"))
    return Workspace(f"{services.web_address()}/ui", stock, running_engine)


@pytest.fixture(scope="session")
async def browser() -> AsyncIterator[Browser]:
    async with async_playwright() as playwright:
        running = await playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield running
        await running.close()


@pytest.fixture(scope="session")
async def signed_in(browser: Browser, workspace: Workspace) -> StorageState:
    """The cookie of a browser that came by the link of `penwright web`."""
    context = await browser.new_context()
    await sign_in(context, workspace)
    state = await context.storage_state()
    await context.close()
    return state


async def sign_in(context: BrowserContext, workspace: Workspace) -> None:
    """Come by a link of `penwright web`."""
    tab = await context.new_page()
    link = json.loads((await asyncio.to_thread(workspace.home.cli, "web", "--json")).stdout)["link"]
    await tab.goto(link)
    await tab.wait_for_url(f"{workspace.address}/")
    await tab.close()


@pytest.fixture
async def page(browser: Browser, workspace: Workspace, signed_in: StorageState) -> AsyncIterator[Page]:
    """A fresh tab; a message on its console, or a request that leaves this machine, fails the test."""
    context = await browser.new_context(viewport={"width": 1280, "height": 900}, storage_state=signed_in)
    tab = await context.new_page()
    faults: list[str] = []
    ours = (workspace.address.removesuffix("/ui"), "data:", "blob:")
    tab.on("console", lambda said: faults.append(said.text) if said.type in ("error", "warning") else None)
    tab.on("pageerror", lambda error: faults.append(str(error)))
    tab.on("request", lambda asked: None if asked.url.startswith(ours) else faults.append(asked.url))
    yield tab
    await context.close()
    assert faults == []
