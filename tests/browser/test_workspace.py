"""The pages in a real browser: for everybody, by keyboard alone, and through whole journeys.

One file, because a test process runs whole files, and each would start an engine of its own.
"""

import asyncio
import json
import random
import re
from itertools import pairwise
from typing import Any

import pytest
from axe_playwright_python.async_playwright import Axe
from playwright.async_api import Browser, FilePayload, Page, Request, StorageState, expect

from gateway.desk.book import sessions
from gateway.desk.engine.waits import quietly
from gateway.desk.works import books
from gateway.ui.app import PAGES
from tests.browser.conftest import Workspace

PATIENCE_MS = 90_000
LOOKS = [(1280, "light"), (390, "dark"), (1280, "dark"), (390, "light")]
USUAL = [(1280, "light", 0), (1280, "light", 1)]
"""Width, colours, and a half of the pages: `make test` looks at each page once, `make long` in all looks."""


def pages_of(workspace: Workspace) -> list[str]:
    """The address of every page, with what there is to show."""
    book = f"/books/{workspace.stock.book}"
    return [
        "/",
        "/runs?kind=book&state=failed",
        f"/runs/{workspace.run}",
        "/books",
        "/books/new",
        book,
        f"{book}/review",
        f"{book}/history",
        f"{book}/provenance",
        f"{book}/story",
        "/spending?by=model",
        "/schedules",
        "/health",
        "/settings",
        "/scenes",
        "/scenes/new",
        f"/scenes/{workspace.stock.scene}",
        f"/scenes/{workspace.stock.scene}?tab=lore",
        f"/scenes/{workspace.stock.scene}?tab=budget",
        f"/scenes/{workspace.stock.scene}?tab=branches",
        "/manuscripts",
        "/manuscripts/new",
        "/worlds",
        "/worlds?kind=lorebooks",
        "/worlds/characters/new",
        "/worlds/lorebooks/skerrow?entry=1",
        "/worlds/characters/ann-quist",
        f"/manuscripts/{workspace.stock.novel}/-",
        f"/manuscripts/{workspace.stock.novel}/-?tab=reference",
        f"/manuscripts/{workspace.stock.novel}/-?tab=inspect&variable=section_plan",
        f"{book}/write",
        f"/manuscripts/{workspace.stock.novel}/-/write",
        f"/manuscripts/{workspace.stock.novel}/-/history",
    ]


@pytest.mark.parametrize(
    ("width", "scheme", "half"),
    [
        pytest.param(*look, half, marks=pytest.mark.smoke if (*look, half) in USUAL else ())
        for look in LOOKS
        for half in (0, 1)
    ],
)
async def test_no_page_has_findings_or_overflows(
    browser: Browser, workspace: Workspace, signed_in: StorageState, width: int, scheme: str, half: int
) -> None:
    context = await browser.new_context(
        viewport={"width": width, "height": 900},
        color_scheme="dark" if scheme == "dark" else "light",
        storage_state=signed_in,
    )
    tab = await context.new_page()
    wrong = {}
    foreign = requests_elsewhere(tab, workspace)
    for path in pages_of(workspace)[half::2]:
        await tab.goto(workspace.address + path)
        await tab.locator("h1").wait_for()
        wrong[path] = await findings(tab)
    await context.close()

    assert {path: found for path, found in wrong.items() if found} == {}
    assert foreign == []


def test_every_page_is_walked_through(workspace: Workspace) -> None:
    walked = {_pattern_of(path.partition("?")[0]) for path in pages_of(workspace)}

    assert walked == PAGES.keys()


def _pattern_of(path: str) -> str:
    """The page that answers an address: the first in the list that fits, as the router chooses."""
    for pattern in PAGES:
        rule = re.sub(r"\{\w+:path\}", ".+", pattern)
        if re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", rule), path):
            return pattern
    return path


def requests_elsewhere(tab: Page, workspace: Workspace) -> list[str]:
    """Collects what the tab asks of any other place than the workspace."""
    ours = (workspace.address.removesuffix("/ui"), "data:", "blob:")
    found: list[str] = []

    def asked(request: Request) -> None:
        if not request.url.startswith(ours):
            found.append(request.url)

    tab.on("request", asked)
    return found


async def findings(tab: Page) -> list[str]:
    """What axe finds, by how many pixels the page is wider than the window, and charts without a table."""
    report = await Axe().run(tab)
    found = [
        f"{each['id']}: {node['html'][:120]}"
        for each in report.response["violations"]
        for node in each["nodes"]
    ]
    over = await tab.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    bare = await tab.locator("figure.chart:not(:has(table tbody tr))").count()
    return [
        *found,
        *([f"wider by {over} px"] if over else []),
        *([f"{bare} charts without a table"] if bare else []),
    ]


async def test_the_palette_leads_to_another_page(page: Page, workspace: Workspace) -> None:
    await page.goto(f"{workspace.address}/")
    await page.locator("h1").wait_for()

    await page.keyboard.press("Control+k")
    await expect(page.locator("input[aria-label='Go to']")).to_be_focused()
    await page.keyboard.type("runs")
    await expect(page.locator(".places a")).to_have_count(2)
    await page.keyboard.press("Enter")

    await expect(page).to_have_url(f"{workspace.address}/runs")


async def test_the_palette_takes_what_is_typed_before_it_is_there(page: Page, workspace: Workspace) -> None:
    await page.goto(f"{workspace.address}/")
    await page.locator("h1").wait_for()
    field = page.locator("input[aria-label='Go to']")

    for number in range(10):
        await page.keyboard.press("Control+k")
        await page.keyboard.type(f"spending {number}", delay=number * 10)
        await expect(field).to_have_value(f"spending {number}")
        await page.keyboard.press("Escape")
        await expect(field).to_have_count(0)
    await page.keyboard.press("Control+k")
    await page.keyboard.type("runs")
    await page.keyboard.press("Enter")

    await expect(page).to_have_url(f"{workspace.address}/runs")


async def test_filters_are_saved_and_forgotten(page: Page, workspace: Workspace) -> None:
    await page.goto(f"{workspace.address}/runs?kind=book&state=failed")
    await page.get_by_role("button", name="Save these filters").click()
    await page.goto(f"{workspace.address}/runs")
    await page.get_by_role("link", name="books, failed").click()

    await expect(page).to_have_url(f"{workspace.address}/runs?kind=book&state=failed")
    await page.get_by_role("button", name="Forget books, failed").click()
    await expect(page.get_by_role("link", name="books, failed")).to_have_count(0)


async def test_a_question_mark_shows_the_keys(page: Page, workspace: Workspace) -> None:
    await page.goto(f"{workspace.address}/runs")
    await page.locator("h1").wait_for()

    await page.keyboard.press("?")

    await expect(page.get_by_text("shows these keys")).to_be_visible()


async def test_a_key_is_not_swallowed_by_the_field_of_a_dialog_that_fades_out(
    page: Page, workspace: Workspace
) -> None:
    await page.goto(f"{workspace.address}/runs")
    await page.locator("h1").wait_for()
    await page.evaluate(
        """() => {
            const dialog = document.body.appendChild(document.createElement("div"));
            dialog.className = "q-dialog q-dialog--seamless";
            dialog.appendChild(document.createElement("textarea")).focus();
        }"""
    )

    await page.keyboard.press("?")

    await expect(page.get_by_text("shows these keys")).to_be_visible()


async def test_the_first_tab_stop_skips_to_the_content(page: Page, workspace: Workspace) -> None:
    await page.goto(f"{workspace.address}/")
    await page.locator("h1").wait_for()

    await page.keyboard.press("Tab")
    await page.keyboard.press("Enter")

    await expect(page.locator(".content")).to_be_focused()


FOCUSED = """() => {
    const at = document.activeElement, box = at.getBoundingClientRect(), look = getComputedStyle(at);
    const outlined = look.outlineStyle !== 'none' && parseFloat(look.outlineWidth) > 0;
    const ringed = outlined || look.boxShadow !== 'none' || !!at.closest('.q-field--focused');
    const said = at.getAttribute('aria-label') || at.textContent || at.value || '';
    return {
        name: at.tagName + ' ' + said.trim().slice(0, 40),
        top: box.top + scrollY, left: box.left, right: box.right,
        shown: box.width > 0 && box.height > 0 && ringed,
        inside: !!at.closest('.content'),
    };
}"""
"""What has the focus, where it stands on the page, and whether that can be seen."""
_STOPS = 30


@pytest.mark.parametrize(
    "pages",
    [
        ("/books/{book}/review", "/scenes/{scene}"),
        ("/", "/books/{book}", "/manuscripts/{novel}/-", "/settings"),
    ],
)
async def test_tab_goes_in_reading_order_and_shows_where_it_is(
    page: Page, workspace: Workspace, pages: tuple[str, ...]
) -> None:
    stock = workspace.stock
    wrong = {}
    for path in (each.format(book=stock.book, scene=stock.scene, novel=stock.novel) for each in pages):
        await page.goto(workspace.address + path)
        await page.locator("h1").wait_for()
        stops = await _stops(page)
        wrong[path] = [
            *(f"not to be seen: {each['name']}" for each in stops if not each["shown"]),
            *(
                f"back from {before['name']} to {after['name']}"
                for before, after in pairwise(each for each in stops if each["inside"])
                # Upwards the reader goes to the next column alone.
                if after["top"] < before["top"] - 40 and after["left"] < before["right"]
            ),
        ]
        assert any(each["inside"] for each in stops), path

    assert {path: found for path, found in wrong.items() if found} == {}


# Any: JSON.
async def _stops(page: Page) -> list[dict[str, Any]]:
    """What the first presses of Tab lead to, up to the end of the page."""
    found: list[dict[str, Any]] = []
    for _ in range(_STOPS):
        await page.keyboard.press("Tab")
        at = await page.evaluate(FOCUSED)
        if at["name"].startswith("BODY"):
            break
        found.append(at)
    return found


@pytest.mark.smoke
async def test_five_passages_are_reviewed_by_keyboard(page: Page, workspace: Workspace) -> None:
    await page.goto(f"{workspace.address}/books/{workspace.stock.book}/review")
    passages, said = page.locator(".passage"), page.locator(".said")
    await passages.first.wait_for()
    count = await passages.count()
    second = await passages.nth(1).locator(".prose").inner_text()

    await page.keyboard.press("a")
    await expect(said).to_contain_text("accepted")
    await page.keyboard.press("x")
    await expect(said).to_contain_text("rejected")
    await expect(passages).to_have_count(count - 1)
    await expect(page.get_by_text(second[:60])).to_have_count(0)
    await page.keyboard.press("c")
    await page.keyboard.type("who lit it?")
    await page.keyboard.press("Enter")
    await expect(said).to_contain_text("your note is in the text")
    await expect(page.get_by_text("Waits for the next session: who lit it?")).to_be_visible()
    await page.keyboard.press("Escape")
    await page.keyboard.press("u")
    await expect(said).to_contain_text("taken back")
    await page.keyboard.press("u")
    await expect(passages).to_have_count(count)

    await expect(page.get_by_text(second[:60])).to_be_visible()


@pytest.mark.long
async def test_nothing_typed_after_the_key_of_a_note_decides_a_passage(
    page: Page, workspace: Workspace
) -> None:
    await page.goto(f"{workspace.address}/books/{workspace.stock.book}/review")
    passages, field = page.locator(".passage"), page.get_by_label("Your note")
    await passages.first.wait_for()
    shown = await passages.all_inner_texts()
    dice = random.Random(7)

    for by_button in (False, True) * 8:
        typed = "".join(dice.choices("ackuxje?w ", k=12))
        if by_button:
            await passages.nth(1).get_by_text("Comment").click()
        else:
            await page.keyboard.press("c")
        await page.keyboard.type(typed)
        await expect(field).to_have_value(typed)
        await field.fill("")
        await page.keyboard.press("Escape")

    assert await passages.all_inner_texts() == shown
    await expect(page.locator(".progress")).to_contain_text("0 of")


async def test_the_selected_passage_is_in_sight_and_an_acceptance_is_taken_back(
    page: Page, workspace: Workspace
) -> None:
    await page.set_viewport_size({"width": 1280, "height": 360})
    await page.goto(f"{workspace.address}/books/{workspace.stock.book}/review?only=new")
    passages, selected = page.locator(".passage"), page.locator(".passage[aria-current]")
    await passages.first.wait_for()
    count = await passages.count()

    await page.keyboard.press("?")
    await expect(page.get_by_role("dialog")).to_be_visible()
    await page.keyboard.press("Escape")
    await expect(page.locator(".q-dialog--modal")).to_have_count(0)  # it fades out still
    for _ in range(count):
        await page.keyboard.press("a")
    await expect(page.locator(".progress")).to_have_text(f"{count} of {count} accepted")
    await expect(selected).to_be_in_viewport(ratio=0.5)
    await expect(selected).to_contain_text(f"Passage {count}")

    for left in range(count - 1, -1, -1):
        await page.keyboard.press("u")
        await expect(page.locator(".progress")).to_have_text(f"{left} of {count} accepted")
    await expect(selected).to_contain_text("Passage 1")
    await expect(selected).to_be_in_viewport(ratio=0.5)


async def test_a_book_is_begun_from_a_few_answers(page: Page, workspace: Workspace) -> None:
    await page.goto(f"{workspace.address}/books")
    await page.get_by_role("link", name="A new book").click()
    await page.get_by_role("button", name="Begin it").click()
    await expect(page.locator(".said")).to_contain_text("a title is needed")

    await page.get_by_label("What is the title?").fill("The Lamp Room")
    await page.get_by_label("Whose name stands on the cover?").fill("M. Orr")
    await page.get_by_role("button", name="Begin it").click()

    await expect(page.locator("h1")).to_have_text("The Lamp Room")
    await expect(page.get_by_role("button", name="Write the next pages")).to_be_visible()


async def test_a_text_that_exists_becomes_a_book(page: Page, workspace: Workspace) -> None:
    told = b"# Ebb\n\n## One\n\nThe water went out & <b>stayed</b> out.\n"
    await page.goto(f"{workspace.address}/books/new")
    await page.locator("input[type=file]").set_input_files(
        [FilePayload(name="ebb.md", mimeType="text/markdown", buffer=told)]
    )
    await page.locator(".answers a").click()

    await expect(page.locator("h1")).to_have_text("Ebb")


async def test_a_scene_is_made_from_answers_with_a_new_character(page: Page, workspace: Workspace) -> None:
    await page.goto(f"{workspace.address}/worlds/characters/new")
    await page.get_by_label("Name").fill("Ida Moll")
    await page.get_by_role("button", name="Make it").click()
    await expect(page.locator("h1")).to_have_text("Ida Moll")

    await page.goto(f"{workspace.address}/scenes/new")
    await page.get_by_role("button", name="Begin it").click()
    await expect(page.locator(".said")).to_contain_text("a title is needed")
    await page.get_by_label("Title").fill("Night ferry")
    await page.get_by_label("Cast").click()
    await page.get_by_role("option", name="Ida Moll").click()
    await page.keyboard.press("Escape")
    await page.get_by_role("button", name="Begin it").click()

    await expect(page.locator("h1")).to_have_text("Night ferry")
    await expect(page.get_by_role("region", name="Cast")).to_contain_text("Ida Moll")


async def test_versions_of_a_document_are_compared(page: Page, workspace: Workspace) -> None:
    await page.goto(f"{workspace.address}/manuscripts/{workspace.stock.novel}/-")
    await page.get_by_role("link", name="History").click()
    await page.get_by_role("link", name="what it changed").first.click()

    comparison = page.get_by_role("region", name="Comparison")
    await expect(comparison.locator("ins").first).to_be_visible()
    await expect(comparison).not_to_contain_text("@@")


async def test_from_the_first_link_to_an_exported_book(browser: Browser, workspace: Workspace) -> None:
    """A new author: the link of `penwright web`, a session as it runs, its review by keyboard, a document."""
    told = await asyncio.to_thread(workspace.home.cli, "web", "--json")
    context = await browser.new_context(viewport={"width": 1280, "height": 900})
    page = await context.new_page()
    await page.goto(json.loads(told.stdout)["link"])
    await page.get_by_role("navigation", name="Pages").get_by_role("link", name="Books").click()
    await page.get_by_role("link", name="The Salt Road").click()

    await page.get_by_role("button", name="Write the next pages").click()
    await expect(page.get_by_role("button", name="Kill")).to_be_visible()
    await expect(page.get_by_role("button", name="Write the next pages")).to_be_visible(timeout=PATIENCE_MS)

    await page.get_by_role("link", name="Review", exact=True).click()
    passages = page.locator(".passage")
    await passages.first.wait_for()
    first = await passages.first.locator(".prose").inner_text()
    gone = await passages.nth(1).locator(".prose").inner_text()
    await page.keyboard.press("a")
    await expect(page.locator(".said")).to_contain_text("accepted")
    await page.keyboard.press("x")
    await expect(page.locator(".said")).to_contain_text("rejected")

    await page.get_by_role("link", name="The Salt Road").click()
    async with page.expect_download() as download:
        await page.get_by_role("link", name="Markdown").click()
    book = (await (await download.value).path()).read_text()
    await context.close()

    assert first[:60] in book
    assert gone[:60] not in book


async def test_a_page_changes_in_place_while_a_session_runs(page: Page, workspace: Workspace) -> None:
    book = workspace.stock.second_book
    await page.goto(f"{workspace.address}/books/{book}")
    await page.locator("h1").wait_for()
    await page.evaluate("window.kept = true")
    rows = page.locator("table", has_text="Sessions, newest first").locator("tbody tr")
    before = await rows.count()

    found = books.find(workspace.services, book)
    given = await asyncio.to_thread(sessions.session_of, workspace.services, found, "")
    await sessions.write(workspace.services, given, quietly)

    await expect(rows).to_have_count(before + 1)
    await expect(page.get_by_role("button", name="Write the next pages")).to_be_visible()
    await expect(page.locator(".newest")).to_contain_text("ended")
    assert await page.evaluate("window.kept")


async def test_a_chart_may_go_as_soon_as_it_came(page: Page, workspace: Workspace) -> None:
    await page.goto(f"{workspace.address}/books/{workspace.stock.book}")
    await page.locator("figure.chart canvas").first.wait_for()

    await page.evaluate(
        """async () => {
            const loaded = performance.getEntriesByType("resource").map((each) => each.name);
            const Vue = await import("vue");
            const chart = await import(loaded.find((name) => name.endsWith("/chart.js")));
            const place = document.body.appendChild(document.createElement("div"));
            const app = Vue.createApp(chart.default, { options: {} });
            app.mount(place);
            app.unmount();
            await new Promise((later) => setTimeout(later, 100));
        }"""
    )


@pytest.mark.parametrize(
    ("reader", "shown"),
    [
        ("Asia/Tokyo", re.compile(r"\w+, 06:\d\d, \w+ \d+ \w+, 21:\d\d UTC \(in")),
        ("Africa/Abidjan", re.compile(r"\w+, 21:\d\d \(in")),
    ],
)
async def test_the_next_runs_are_told_by_the_readers_clock(
    browser: Browser, workspace: Workspace, signed_in: StorageState, reader: str, shown: re.Pattern[str]
) -> None:
    folder = str(workspace.stock.folder / "salt")
    await asyncio.to_thread(workspace.home.cli, "book", "schedule", folder, "--cron", "0 21 * * *")
    context = await browser.new_context(timezone_id=reader, storage_state=signed_in)
    page = await context.new_page()
    await page.goto(f"{workspace.address}/schedules")

    await expect(page.locator(".card", has_text="The Salt Road")).to_contain_text(shown)

    await context.close()
    await asyncio.to_thread(workspace.home.cli, "book", "unschedule", folder)


async def test_an_operator_pauses_and_deletes_a_timetable(page: Page, workspace: Workspace) -> None:
    folder = str(workspace.stock.folder / "salt")
    await asyncio.to_thread(workspace.home.cli, "book", "schedule", folder, "--every", "6h")
    await page.goto(f"{workspace.address}/schedules")
    card = page.locator(".card", has_text="The Salt Road")

    await card.get_by_role("button", name="Pause").click()
    await expect(card.get_by_text("by hand")).to_be_visible()
    await card.get_by_role("button", name="Delete").click()
    await page.get_by_role("dialog").get_by_role("button", name="Delete").click()

    await expect(page.get_by_text("Nothing is written on a timetable", exact=False)).to_be_visible()


async def test_a_model_is_tried_from_the_settings(page: Page, workspace: Workspace) -> None:
    await page.goto(f"{workspace.address}/settings")

    await page.get_by_role("button", name="Try it").first.click()

    await expect(page.locator(".said")).to_contain_text("demo answered in", timeout=20_000)


async def test_spending_is_added_up_by_model(page: Page, workspace: Workspace) -> None:
    await page.goto(f"{workspace.address}/spending")
    await page.get_by_role("link", name="model", exact=True).click()

    rows = page.locator("table", has_text="Spending by model").locator("tbody tr")
    await expect(rows).to_have_count(1)
    await expect(rows).to_contain_text("demo")


async def test_a_book_is_saved_as_a_document(page: Page, workspace: Workspace) -> None:
    await page.goto(f"{workspace.address}/books/{workspace.stock.book}")
    await page.locator("h1").wait_for()

    async with page.expect_download() as download:
        await page.get_by_role("link", name="Markdown").click()
    saved = await download.value

    assert saved.suggested_filename == "low-tide.md"
    assert "Low Tide" in (await saved.path()).read_text()


async def test_a_models_passage_names_its_prompt(page: Page, workspace: Workspace) -> None:
    await page.goto(f"{workspace.address}/books/{workspace.stock.book}/provenance")
    digest = page.locator("td[data-label=Prompt] code").first

    await expect(digest).to_have_text(re.compile("^[0-9a-f]{12}$"))
    await expect(digest).to_have_attribute("title", re.compile("^[0-9a-f]{64}$"))


async def test_any_two_versions_are_compared(page: Page, workspace: Workspace) -> None:
    await page.goto(f"{workspace.address}/books/{workspace.stock.book}/history")
    await page.get_by_role("link", name="compare …").last.click()
    await expect(page.get_by_text("Choose what to compare")).to_be_visible()
    await page.get_by_role("link", name="compare with this").first.click()

    comparison = page.get_by_role("region", name="Comparison")
    await expect(comparison).to_contain_text("Review/current.md")
    await expect(comparison.locator("ins").first).to_be_visible()


async def test_a_menu_that_lay_over_the_page_leaves_it_when_the_window_grows(
    page: Page, workspace: Workspace
) -> None:
    await page.set_viewport_size({"width": 390, "height": 844})
    await page.goto(f"{workspace.address}/books")
    menu = page.get_by_role("navigation", name="Pages")
    await page.get_by_role("button", name="Pages").click()
    await expect(menu).to_be_in_viewport()

    await page.set_viewport_size({"width": 1280, "height": 900})

    await page.locator("main, .content").first.click(timeout=5000)
    await expect(menu).to_be_in_viewport()
    await page.set_viewport_size({"width": 390, "height": 844})
    await expect(menu).not_to_be_in_viewport()
    await page.locator("h1").click(timeout=5000)
