"""Cards, lorebooks and what scenes share, in a real browser."""

import json
from uuid import uuid4

import pytest
from playwright.async_api import Browser, FilePayload, Page, StorageState, expect

from tests.browser.conftest import Workspace

HOSTILE = "<img src=x onerror=\"document.title='run'\"> **not bold** [x](javascript:alert(1))"


def card(name: str) -> FilePayload:
    """A card with a description that tries to be a page."""
    data = {"name": name, "description": HOSTILE, "first_mes": "Hello."}
    told = {"spec": "chara_card_v2", "spec_version": "2.0", "data": data}
    return {"name": f"{name}.json", "mimeType": "application/json", "buffer": json.dumps(told).encode()}


async def test_a_card_is_taken_in_and_its_text_is_text(page: Page, workspace: Workspace) -> None:
    name = f"Dot {uuid4().hex[:6]}"
    await page.goto(f"{workspace.address}/worlds")
    answers = page.locator(".answers li")

    await page.locator("input[type=file]").set_input_files([card(name)])
    await expect(answers.nth(0)).to_contain_text("taken in")
    await page.locator(".cards a", has_text=name).click()

    await page.locator("summary", has=page.get_by_text("description", exact=True)).click()
    await expect(page.get_by_label("Description")).to_have_value(HOSTILE)
    assert await page.title() == f"{name} · Penwright"
    assert await page.locator(".content img").count() == 0


async def test_a_hostile_card_is_refused_and_named(
    browser: Browser, workspace: Workspace, signed_in: StorageState
) -> None:
    torn = b"\x89PNG\r\n\x1a\n" + b"\xff" * 64
    context = await browser.new_context(storage_state=signed_in)
    page = await context.new_page()  # not the fixture's: the console tells of the refused request
    await page.goto(f"{workspace.address}/worlds")
    await page.locator("input[type=file]").set_input_files(
        [FilePayload(name="torn <b>.png", mimeType="image/png", buffer=torn)]
    )

    await expect(page.locator(".answers li")).to_contain_text("torn <b>.png: ")
    await expect(page.locator(".answers li.needs")).to_have_count(1)
    await context.close()


@pytest.mark.long
async def test_a_dropped_lorebook_is_shown_and_an_entry_changed(page: Page, workspace: Workspace) -> None:
    name = f"birds-{uuid4().hex[:6]}"
    entry = {
        "uid": 0,
        "key": ["gull"],
        "keysecondary": [name],
        "comment": "Gulls",
        "content": HOSTILE,
        "order": 100,
    }
    book = json.dumps({"entries": {"0": entry}})
    await page.goto(f"{workspace.address}/worlds?kind=lorebooks")
    await page.locator(".drop").wait_for()
    dropped = await page.evaluate_handle(
        """([name, text]) => {
            const held = new DataTransfer();
            held.items.add(new File([text], name, { type: "application/json" }));
            return held;
        }""",
        [f"{name}.json", book],
    )
    await page.locator(".drop").dispatch_event("drop", {"dataTransfer": dropped})
    await expect(page.locator(".answers li")).to_contain_text("taken in")
    await page.locator(".cards a", has_text=name).click()
    await page.locator(".entries a", has_text="Gulls").click()

    await page.locator("summary", has=page.get_by_text("content", exact=True)).click()
    field = page.get_by_label("Content")
    await expect(field).to_have_value(HOSTILE)
    await field.fill("Gulls know where the fish is.")
    await field.press("Control+Enter")

    # Once it is stored the page is loaded again, with all fields folded.
    await expect(field).to_be_hidden()
    await page.locator("summary", has=page.get_by_text("content", exact=True)).click()
    await expect(page.get_by_label("Content")).to_have_value("Gulls know where the fish is.")
    assert await page.locator(".content img").count() == 0
