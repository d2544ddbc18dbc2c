"""Stop in a real browser, while a real vendor's stream stands in the middle of a reply."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, expect

from gateway.desk.installed_services import InstalledServices
from gateway.desk.scene import creating
from gateway.desk.scene.creating import NewScene
from schemas.worlds import Character, World
from tests.browser.conftest import Workspace, sign_in
from tests.browser.stock import Stock
from tests.support.engine.home import EngineHome, engine_home, until
from tests.support.engine.provider_server import Behaviour, ProviderServer

WORDS = [f"word{number}" for number in range(72)]
HALF = " ".join(WORDS[:36])
PATIENCE_MS = 120_000

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EngineHome]:
    """An engine whose characters are played by a vendor that never ends a reply."""
    with ProviderServer().running() as vendor:
        vendor.behave(Behaviour(text=" ".join(WORDS), stall=True))
        config = tmp_path_factory.mktemp("engine") / "penwright.toml"
        config.write_text(
            f'[models.slow]\nmodel = "openai/slow"\napi_base = "{vendor.address}"\n'
            'key_env = "SLOW_KEY"\n[roles]\ncharacter = "slow"\n'
        )
        home = engine_home(
            PENWRIGHT_CONFIG=str(config),
            PENWRIGHT_WEB__ENABLED="true",
            PENWRIGHT_WORKER__GRACE_S="2",
            SLOW_KEY="k",
        )
        try:
            up = home.cli("up", "--detach")
            assert up.returncode == 0, up.stderr
            until(lambda: home.record().children["web"].state == "ready")
            yield home
        finally:
            home.remove()


@pytest.fixture
async def page(browser: Browser, engine: EngineHome) -> AsyncIterator[Page]:
    """A tab at a scene with one character."""
    services = InstalledServices(engine.environ)

    def laid_out() -> str:
        with services.open_store() as store:
            store.worlds.create(World(id="", name="Skerrow"))
            store.worlds.create(Character(id="", name="Ann"))
        return creating.create(services, NewScene(title="Quay", world="skerrow", cast=("Ann",))).scene.id

    scene = await asyncio.to_thread(laid_out)
    workspace = Workspace(f"{services.web_address()}/ui", Stock("", "", "", scene, Path()), engine)
    context = await browser.new_context(viewport={"width": 1280, "height": 700})
    await sign_in(context, workspace)
    tab = await context.new_page()
    await tab.goto(f"{workspace.address}/scenes/{scene}")
    yield tab
    await context.close()


async def test_stop_keeps_the_words_on_screen_as_a_reply_that_is_marked(page: Page) -> None:
    field = page.get_by_label("What you say")
    await field.fill("Who lit the lamp?")
    await field.press("Enter")
    await expect(page.locator(".writing-now .prose")).to_have_text(HALF, timeout=PATIENCE_MS)

    await page.get_by_role("button", name="Stop").click()

    newest = page.locator(".chat:not(.writing-now) > .message").last
    await expect(newest.locator(".prose")).to_have_text(HALF, timeout=PATIENCE_MS)
    await expect(newest).to_contain_text("stopped")
    await expect(newest).to_be_in_viewport()
    await expect(page.locator(".writing-now .message")).to_have_count(0)
