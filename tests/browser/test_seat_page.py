"""The page of a seat, its door and the operator's part, in a real browser."""

import asyncio
import re

import pytest
from playwright.async_api import Browser, Page, StorageState, expect

from gateway.desk.scene import changes
from gateway.desk.scene.table.seats import invite
from tests.browser.conftest import Workspace
from tests.browser.test_workspace import LOOKS, findings, requests_elsewhere

PATIENCE_MS = 60_000


@pytest.fixture
async def branch(workspace: Workspace, request: pytest.FixtureRequest) -> str:
    """Id of a branch of the stock's scene, of this test alone."""
    title = re.sub(r"\W+", " ", request.node.name)[:40]
    _, made = await asyncio.to_thread(
        changes.branch, workspace.services, workspace.stock.scene, 2, f"Table {title}"
    )
    return made.id


@pytest.fixture
async def link(workspace: Workspace, branch: str) -> str:
    """Address that opens a seat as Ann Quist."""
    made = await asyncio.to_thread(invite, workspace.services, branch, "Ann Quist")
    return workspace.address.removesuffix("/ui") + made.path


@pytest.mark.parametrize(
    ("width", "scheme"),
    [pytest.param(*look, marks=() if look == LOOKS[0] else pytest.mark.long) for look in LOOKS],
)
async def test_pages_of_a_seat_have_no_findings_and_do_not_overflow(
    browser: Browser,
    signed_in: StorageState,
    workspace: Workspace,
    branch: str,
    link: str,
    width: int,
    scheme: str,
) -> None:
    context = await browser.new_context(
        viewport={"width": width, "height": 900},
        color_scheme="dark" if scheme == "dark" else "light",
        storage_state=signed_in,
    )
    tab = await context.new_page()
    foreign = requests_elsewhere(tab, workspace)
    wrong = {}
    await tab.goto(link)
    await tab.get_by_label("What you say").wait_for()
    wrong["seat"] = await findings(tab)
    await tab.goto(f"{link.partition('#')[0]}#pws_nothing")
    await expect(tab.get_by_text("This link opens no seat.")).to_be_visible()
    wrong["door"] = await findings(tab)
    await tab.goto(f"{workspace.address}/scenes/{branch}?tab=seats")
    await tab.get_by_role("button", name="Take Ann Quist’s seat away").wait_for()
    wrong["operator"] = await findings(tab)
    await context.close()

    assert wrong == {"seat": [], "door": [], "operator": []}
    assert foreign == []


async def test_a_seat_is_used_by_keyboard_alone(browser: Browser, link: str) -> None:
    context = await browser.new_context()
    tab = await context.new_page()
    await tab.goto(link)
    await tab.get_by_label("What you say").wait_for()
    assert "pws_" not in tab.url
    await tab.locator("h1").click()

    await tab.keyboard.press("w")
    await tab.keyboard.type("I lit the lamp.")
    await tab.keyboard.press("Enter")

    await expect(tab.locator(".message.own")).to_have_text(re.compile("I lit the lamp."), timeout=PATIENCE_MS)
    await tab.get_by_role("button", name="Leave the table").focus()
    await tab.keyboard.press("Enter")
    sure = tab.get_by_role("dialog").get_by_role("button", name="Leave the table")
    await sure.focus()
    await tab.keyboard.press("Enter")
    await expect(tab.get_by_text("This seat was left.")).to_be_visible()
    await expect(tab.locator(".message")).to_have_count(0)
    await tab.reload()
    await expect(tab.get_by_text("seat-left")).to_be_visible()
    await context.close()


async def test_words_that_were_not_said_are_there_in_another_browser(browser: Browser, link: str) -> None:
    one, other = [await browser.new_context() for _ in range(2)]
    tab = await one.new_page()
    await tab.goto(link)
    await tab.get_by_label("What you say").fill("Not said yet")
    kept = "Object.keys(localStorage).length === 0"  # once the server has them
    await tab.wait_for_function(kept, timeout=PATIENCE_MS)

    again = await other.new_page()
    await again.goto(link)

    await expect(again.get_by_label("What you say")).to_have_value("Not said yet")
    await one.close()
    await other.close()


async def test_the_operator_invites_and_takes_away_on_the_page(
    page: Page, browser: Browser, workspace: Workspace, branch: str
) -> None:
    await page.goto(f"{workspace.address}/scenes/{branch}?tab=seats")
    await page.get_by_role("button", name="Invite", exact=True).click()
    link = await page.get_by_text(re.compile("/seat#pws_")).inner_text()
    await page.get_by_role("button", name="Close").click()
    await expect(page.get_by_text("has not come yet")).to_be_visible()
    context = await browser.new_context()
    guest = await context.new_page()
    await guest.goto(link)
    await expect(guest.get_by_role("heading", name="You are Ann Quist")).to_be_visible()
    await expect(page.get_by_text("at the table")).to_be_visible()
    await expect(page.get_by_text("pws_")).to_have_count(0)

    await page.get_by_role("button", name="Take Ann Quist’s seat away").click()
    await page.get_by_role("dialog").get_by_role("button", name="Take Ann Quist’s seat away").click()

    await expect(guest.get_by_text("This seat was taken away.")).to_be_visible()
    await context.close()
