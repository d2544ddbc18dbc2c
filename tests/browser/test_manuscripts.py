"""A document in a real browser: what a run is told and may cost, its run, and what the agents know."""

from playwright.async_api import Page, expect

from tests.browser.conftest import Workspace

PATIENCE_MS = 90_000


async def test_a_run_is_estimated_begun_and_seen_to_its_end(page: Page, workspace: Workspace) -> None:
    await page.goto(f"{workspace.address}/manuscripts/{workspace.stock.novel}/-")
    field = page.get_by_label("Instructions")
    await expect(field).to_have_value(
        "A short essay on why published findings fail to replicate, for students."
    )
    await page.get_by_label("Passes").fill("1")
    await page.get_by_role("button", name="What may it cost?").click()
    await expect(page.locator(".said")).to_contain_text("nothing was started")
    await expect(page.locator(".costs tbody tr").first).to_be_visible()
    actions = await page.locator(".cardable tbody tr").count()

    await field.fill("A short essay on why published findings fail to replicate, with one more example.")
    await page.get_by_role("button", name="Resume").or_(page.get_by_role("button", name="Start")).click()
    await expect(page.locator(".said")).to_contain_text("the run has begun", timeout=PATIENCE_MS)
    await expect(page.get_by_role("button", name="Stop")).to_be_visible(timeout=PATIENCE_MS)
    await expect(page.get_by_role("button", name="Stop")).to_have_count(0, timeout=PATIENCE_MS)

    assert await page.locator(".cardable tbody tr").count() >= actions


async def test_a_variable_is_shown_searched_and_told_apart_from_its_last_value(
    page: Page, workspace: Workspace
) -> None:
    await page.goto(f"{workspace.address}/manuscripts/{workspace.stock.novel}/-?tab=inspect")
    await page.get_by_role("link", name="section plan").click()
    shown = page.locator(".variable-shown")
    await expect(shown).to_contain_text("made by")
    await expect(shown).to_contain_text("tokens")
    await shown.locator(".tree summary").first.click()
    await expect(shown.locator(".tree").first).to_contain_text("section_title")
    await page.get_by_label("Search in it").fill("section_title")
    await expect(shown.locator(".hits li").last).to_contain_text("lines")

    await page.get_by_role("link", name="Raw").click()
    await expect(page.locator(".variable-shown pre")).to_contain_text('"section_title"')


async def test_a_citation_is_accepted_into_the_text(page: Page, workspace: Workspace) -> None:
    await page.goto(f"{workspace.address}/manuscripts/{workspace.stock.novel}/-?tab=reference")
    card = page.locator(".citation").first

    await card.get_by_role("button", name="Accept").click()

    await expect(card.get_by_text("applied")).to_be_visible(timeout=PATIENCE_MS)
