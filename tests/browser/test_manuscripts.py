"""A document in a real browser: what a run is told and may cost, its run, and what the agents know."""

import re

from playwright.async_api import Page, expect

from tests.browser.conftest import Workspace

PATIENCE_MS = 90_000


async def test_from_ai_write_to_an_accepted_citation(page: Page, workspace: Workspace) -> None:
    await page.goto(f"{workspace.address}/manuscripts/{workspace.stock.novel}/-")
    field = page.get_by_label("Instructions")
    await expect(field).to_have_value(
        "A short essay on why published findings fail to replicate, for students."
    )
    await page.get_by_label("Passes").fill("1")
    await field.fill("")
    await page.get_by_role("button", name="What may it cost?").click()
    await expect(page.locator(".said")).to_contain_text("write what the run should do")
    await field.fill("An essay on replication that no run has begun yet.")
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
    await page.get_by_role("link", name="AI Reference").click()
    await page.get_by_role("button", name="Scan for sentences").click()
    await expect(page.locator(".said")).to_contain_text("the scan has begun", timeout=PATIENCE_MS)
    await page.reload()  # what the scan before has proposed is not there any more
    card = page.locator(".citation", has=page.get_by_role("button", name="Accept")).first
    cited = await card.locator("ins").first.inner_text(timeout=PATIENCE_MS)
    key = cited.partition("[")[2].strip("] ")
    await card.get_by_role("button", name="Accept").click()

    await expect(page.locator(".said")).to_contain_text("in the text", timeout=PATIENCE_MS)
    await expect(page.locator(".citation", has_text=key).get_by_text("applied").first).to_be_visible()
    await expect(page.get_by_role("region", name="Text", exact=True)).to_contain_text(key)


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


async def test_another_work_is_chosen_searched_for_by_hand_and_rejected_with_a_reason(
    page: Page, workspace: Workspace
) -> None:
    await page.goto(f"{workspace.address}/manuscripts/{workspace.stock.novel}/-?tab=reference")
    card = page.locator(".citation", has=page.get_by_role("button", name="Reject …")).last
    number = await card.locator("h3").inner_text()
    card = page.get_by_role("article", name=number, exact=True)

    more = card.locator(":scope > details > summary").last
    await more.click()
    await card.get_by_label("A title, a subject, or a DOI").fill("10.1371/journal.pmed.0020124")
    await card.get_by_label("A title, a subject, or a DOI").press("Enter")
    await expect(page.locator(".said")).to_contain_text("looked up", timeout=PATIENCE_MS)
    cited = card.locator(":scope > .work")
    await expect(cited).to_contain_text("Why Most Published Research Findings Are False")
    await more.click()
    other = card.locator(".other").first
    title = await other.locator(".what").inner_text()
    await other.get_by_role("button", name="Propose this").click()
    await expect(cited).to_contain_text(title, timeout=PATIENCE_MS)

    await card.get_by_role("button", name="Reject …").click()
    await page.get_by_label("Why (may be left empty)").fill("about another field")
    await page.keyboard.press("Enter")

    await expect(card).to_contain_text("about another field", timeout=PATIENCE_MS)
    await expect(card.get_by_role("button", name="Accept after all")).to_be_visible()


async def test_the_margin_tells_a_models_passages_from_a_persons(page: Page, workspace: Workspace) -> None:
    await page.goto(f"{workspace.address}/manuscripts/{workspace.stock.novel}/-/write")
    await page.locator(".cm-content").click()
    await expect(page.locator(".prose-state")).to_have_attribute("data-state", re.compile("saved|stored"))
    marks = page.locator(".prose-authors span")
    await page.get_by_role("button", name="Who wrote it").click()
    await expect(marks.filter(has_text="model").first).to_be_visible()

    await page.locator(".cm-content").focus()
    await page.keyboard.press("Control+Home")
    await page.keyboard.type("A line of my own.\n\n")
    await page.keyboard.press("Control+s")

    await expect(marks.first).to_have_text("person")
