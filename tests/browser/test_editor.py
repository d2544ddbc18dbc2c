"""The editor in a real browser: no word is lost, whatever happens to connection, page or server."""

import asyncio
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from urllib.parse import quote, unquote

import psutil
import pytest
from playwright.async_api import Browser, Dialog, Page, Route, StorageState, expect
from playwright.async_api import Error as PlaywrightError

from gateway.desk.book import sessions
from gateway.desk.engine.waits import quietly
from gateway.desk.works import books
from gateway.desk.works.books import Book
from tests.browser.conftest import Workspace
from tests.browser.stock import written_book
from tests.browser.test_workspace import PATIENCE_MS, findings
from tests.support.gateway.services import git_in

TEXT = "# A trial\n\nThe first line.\n\nThe second line.\n\nThe last line.\n"
SCROLLS_IN_EACH_FRAME = """() => {
    const box = document.querySelector(".prose-editor");
    Object.assign(box.style, { height: "400px", overflow: "auto", paddingBottom: "3000px" });
    const scroll = () => {
        box.scrollTop = 1 - Math.min(1, box.scrollTop);
        requestAnimationFrame(scroll);
    };
    scroll();
}"""


@pytest.fixture
def address(workspace: Workspace, request: pytest.FixtureRequest) -> str:
    """The page of a text of its own, committed as the book's author would."""
    name = re.sub(r"\W", "-", request.node.name)[:60]
    path = f"Global Material/{name}.md"
    change_file(workspace, path, TEXT)
    return f"{workspace.address}/books/{workspace.stock.book}/write?path={quote(path)}"


def folder(workspace: Workspace) -> Path:
    return workspace.stock.folder / "tide"


def change_file(workspace: Workspace, path: str, text: str) -> None:
    place = folder(workspace)
    (place / path).write_text(text)
    git_in(place, "add", "--", path)
    git_in(place, "commit", "-q", "-m", "By hand", "--", path)


def path_of(address: str) -> str:
    return unquote(address.partition("path=")[2])


def found(workspace: Workspace, place: Path) -> Book:
    return books.find(workspace.services, str(place))


def prose_of(blocks: Sequence[str]) -> list[str]:
    """The paragraphs without comments, marks and headings."""
    plain = (re.sub(r"<!--.*?-->", "", block, flags=re.DOTALL).strip() for block in blocks)
    return [each for each in plain if len(each.split()) > 5 and not each.startswith((">", "#"))]


@asynccontextmanager
async def tab(browser: Browser, state: StorageState) -> AsyncIterator[Page]:
    context = await browser.new_context(viewport={"width": 1280, "height": 900}, storage_state=state)
    try:
        yield await context.new_page()
    finally:
        await context.close()


async def opened(page: Page, address: str) -> None:
    await page.goto(address)
    await page.locator(".cm-content").click()
    await expect(page.locator(".prose-state")).to_have_attribute("data-state", re.compile("saved|stored"))


def questions(page: Page) -> list[str]:
    """What the browser asks from now on; each is answered with yes."""
    asked: list[str] = []

    async def answer(dialog: Dialog) -> None:
        asked.append(dialog.type)
        await dialog.accept()

    page.on("dialog", answer)
    return asked


async def text_of(page: Page) -> str:
    shown: str = await page.evaluate(
        """async () => {
            const CM = await import("nicegui-codemirror");
            return CM.EditorView.findFromDOM(document.querySelector(".cm-editor")).state.doc.toString();
        }"""
    )
    return shown


async def shows_at_last(page: Page, text: str) -> None:
    """Wait for a text; a page whose server was started again loads itself anew meanwhile."""
    async with asyncio.timeout(20):
        while True:
            with suppress(PlaywrightError):
                if await text_of(page) == text:
                    return
            await asyncio.sleep(0.1)


async def stored(page: Page) -> None:
    state = page.locator(".prose-state")
    await expect(state).to_have_attribute("data-state", re.compile("^(stored|saved)$"), timeout=30_000)


async def typed_at_end(page: Page, words: str) -> None:
    await page.keyboard.press("Control+End")
    await page.keyboard.type(words, delay=5)


@pytest.mark.smoke
async def test_what_is_typed_is_stored_and_saved_as_a_commit(
    page: Page, workspace: Workspace, address: str
) -> None:
    await opened(page, address)
    await typed_at_end(page, "Typed by hand.")
    await stored(page)
    await page.keyboard.press("Control+s")
    await expect(page.locator(".prose-state")).to_contain_text("Saved: commit", timeout=30_000)
    await expect(page.locator(".prose-today")).to_contain_text("You wrote 3 words in this text today")

    file = folder(workspace) / path_of(address)
    assert file.read_text() == TEXT + "Typed by hand."
    assert "Penwright-Person: " in git_in(folder(workspace), "log", "-1", "--format=%B")


async def test_a_second_tab_is_told(
    browser: Browser, page: Page, signed_in: StorageState, address: str
) -> None:
    others = page.locator(".prose-others")
    await opened(page, address)
    await page.reload()
    await opened(page, address)
    await expect(others).to_be_empty()

    async with tab(browser, signed_in) as second:
        await opened(second, address)
        await expect(second.locator(".prose-others")).to_have_text(
            "You have this text open in another tab, too."
        )
        await expect(others).to_have_text("You have this text open in another tab, too.")


async def test_two_people_and_the_file_itself_change_one_text_and_every_keystroke_is_there(
    browser: Browser, workspace: Workspace, signed_in: StorageState, address: str
) -> None:
    first, second = "abcdefghij" * 4, "0123456789" * 4
    async with tab(browser, signed_in) as ann, tab(browser, signed_in) as ben:
        await asyncio.gather(opened(ann, address), opened(ben, address))
        await ben.keyboard.press("Control+Home")
        await ben.keyboard.press("End")
        await ann.keyboard.press("Control+End")

        async def machine() -> None:
            for number in range(3):
                new = TEXT.replace("second line", "second line" + ", again" * (number + 1))
                await asyncio.to_thread(change_file, workspace, path_of(address), new)
                await asyncio.sleep(0.2)

        await asyncio.gather(
            ann.keyboard.type(first, delay=20), ben.keyboard.type(second, delay=20), machine()
        )
        await asyncio.gather(stored(ann), stored(ben))
        await ann.keyboard.press("Control+s")
        await expect(ann.locator(".prose-state")).to_have_attribute("data-state", "saved", timeout=30_000)
        wanted = await text_of(ann)
        for _ in range(100):
            if await text_of(ben) == wanted:
                break
            await asyncio.sleep(0.1)

        assert await text_of(ben) == wanted
    middle = "The first line.\n\nThe second line, again, again, again.\n\nThe last line."
    assert wanted == f"# A trial{second}\n\n{middle}\n{first}"
    assert (folder(workspace) / path_of(address)).read_text() == wanted


async def test_letters_keep_their_order_while_the_page_scrolls(page: Page, address: str) -> None:
    words = "".join(f"R{number:02d} " for number in range(100))
    await opened(page, address)
    await page.keyboard.press("Control+End")
    await page.evaluate(SCROLLS_IN_EACH_FRAME)
    await page.keyboard.type(words)
    await stored(page)

    assert await text_of(page) == TEXT + words


async def test_words_typed_without_a_connection_are_there_after_a_reload(
    browser: Browser, signed_in: StorageState, address: str
) -> None:
    async with tab(browser, signed_in) as page:
        await opened(page, address)
        await page.route("**/api/**", lambda route: route.abort())
        await typed_at_end(page, "Typed offline.")
        await expect(page.locator(".prose-state")).to_have_attribute("data-state", "offline")
        await page.unroute("**/api/**")
        asked = questions(page)
        await page.reload()
        await page.locator(".cm-content").wait_for()
        await stored(page)

        assert await text_of(page) == TEXT + "Typed offline."
        assert asked == [], "the words were kept"


async def test_a_page_asks_before_it_leaves_only_if_words_would_be_lost(
    browser: Browser, signed_in: StorageState, address: str
) -> None:
    async with tab(browser, signed_in) as page:
        await opened(page, address)
        await page.route("**/api/**", lambda route: route.abort())
        await page.evaluate("() => { Storage.prototype.setItem = () => { throw new Error('full'); }; }")
        await typed_at_end(page, "Kept nowhere.")
        await expect(page.locator(".prose-state")).to_have_attribute(
            "data-state", re.compile("unkept|offline")
        )
        asked = questions(page)
        await page.reload()

        assert asked == ["beforeunload"]


async def test_words_whose_answer_was_lost_are_stored_once(
    browser: Browser, signed_in: StorageState, address: str
) -> None:
    lost: list[int] = []

    async def lose(route: Route) -> None:
        """The server stores the change, and its answer never arrives."""
        if route.request.method != "POST" or len(lost) == 3:
            return await route.continue_()
        lost.append((await route.fetch()).status)
        return await route.abort()

    async with tab(browser, signed_in) as page, tab(browser, signed_in) as other:
        await opened(page, address)
        await page.route("**/changes*", lose)
        await typed_at_end(page, "Typed once.")
        await stored(page)
        await opened(other, address)

        assert set(lost) == {200}
        assert await text_of(other) == await text_of(page) == TEXT + "Typed once."


async def test_words_typed_while_the_server_is_killed_arrive(
    browser: Browser, workspace: Workspace, signed_in: StorageState, address: str
) -> None:
    async with tab(browser, signed_in) as page:
        await opened(page, address)
        await typed_at_end(page, "Before. ")
        workspace.home.child("web").kill()
        await typed_at_end(page, "While it is away. ")
        await expect(page.locator(".prose-state")).to_have_attribute("data-state", "offline")
        await typed_at_end(page, "After.")

        await shows_at_last(page, TEXT + "Before. While it is away. After.")
        await stored(page)
    async with tab(browser, signed_in) as other:
        await opened(other, address)
        assert await text_of(other) == TEXT + "Before. While it is away. After."


async def test_a_page_that_loads_itself_anew_loses_no_key_and_goes_on_at_the_caret(
    browser: Browser, workspace: Workspace, signed_in: StorageState, address: str
) -> None:
    async with tab(browser, signed_in) as page:
        await opened(page, address)
        await page.keyboard.press("Control+Home")
        for _ in range(4):
            await page.keyboard.press("ArrowDown")
        reloads: list[str] = []
        page.on("framenavigated", lambda frame: reloads.append(frame.url))
        workspace.home.child("web").kill()
        typed = ""
        back = page.locator("#popup", has_text="Penwright is back")
        while len(typed) < 30 or not await back.is_visible():
            typed += await one_letter(page, len(typed))
        for _ in range(20):
            typed += await one_letter(page, len(typed))
        assert reloads == []

        while not reloads:
            await page.wait_for_timeout(50)
        # Before its first script runs, no page can hear a key.
        await page.wait_for_function("document.querySelector('#penwright-ahead, .cm-editor')", polling=10)
        for _ in range(20):
            typed += await one_letter(page, len(typed))
        await page.wait_for_function("document.activeElement.closest('.cm-editor')")
        typed += await one_letter(page, len(typed))
        await stored(page)

        assert await text_of(page) == TEXT.replace("\nThe second", f"\n{typed}The second")


async def test_a_late_answer_does_not_take_back_that_the_server_is_there(
    browser: Browser, workspace: Workspace, signed_in: StorageState, address: str
) -> None:
    async with tab(browser, signed_in) as page:
        await opened(page, address)
        back = page.locator("#popup", has_text="Penwright is back")
        answered = asyncio.Event()

        async def late(route: Route) -> None:
            await expect(back).to_be_visible(timeout=120_000)
            await route.fulfill(json={})
            answered.set()

        await page.route("**/api/v1/me", late)
        workspace.home.child("web").kill()
        # While someone types, the page is not loaded anew.
        while not answered.is_set():
            await one_letter(page, 0)
        for _ in range(10):
            await one_letter(page, 0)

        await expect(back).to_be_visible()


async def one_letter(page: Page, number: int) -> str:
    letter = "abcdefghijklmnopqrstuvwxyz"[number % 26]
    await page.keyboard.type(letter)
    await page.wait_for_timeout(60)
    return letter


async def test_a_note_for_the_writer_is_put_below_the_paragraph(page: Page, address: str) -> None:
    await opened(page, address)
    await page.keyboard.press("Control+Home")
    await page.get_by_role("button", name="Note for the writer").click()
    await expect(page.locator(".cm-content")).to_be_focused()
    await expect(page.locator(".cm-content")).to_contain_text("INK:")
    await page.keyboard.type("more wind")
    await stored(page)

    assert "# A trial\n\n<!-- INK: more wind -->" in await text_of(page)


async def test_the_marks_in_a_text_of_a_book_are_explained(page: Page, address: str) -> None:
    await opened(page, address)
    await page.get_by_text("Meaning of the marks").click()

    await expect(page.locator(".legend dd", has_text="It does not go into the book")).to_be_visible()
    assert await findings(page) == []


async def test_a_key_puts_a_note_in_and_notes_are_marked(page: Page, address: str) -> None:
    await opened(page, address)
    await page.keyboard.press("Control+Home")
    await page.keyboard.press("Control+Alt+m")
    await expect(page.locator(".cm-content")).to_contain_text("INK:")
    await page.keyboard.type("less fog")
    await stored(page)

    assert "# A trial\n\n<!-- INK: less fog -->" in await text_of(page)
    await expect(page.locator(".prose-note")).to_have_text("<!-- INK: less fog -->")


async def test_authors_stand_in_the_margin_until_their_passage_is_changed(page: Page, address: str) -> None:
    await opened(page, address)
    marks = page.locator(".prose-authors span")
    toggle = page.get_by_role("button", name="Who wrote it")

    await toggle.click()
    await expect(marks).to_have_text(["person"] * 4)
    await expect(toggle).to_have_attribute("aria-pressed", "true")
    await page.locator(".cm-line", has_text="The second line.").click()
    await page.keyboard.type("No: ")
    await expect(marks).to_have_count(3)
    await page.keyboard.press("Control+s")
    await expect(marks).to_have_count(4)
    await toggle.click()

    await expect(marks).to_have_count(0)
    await expect(toggle).to_have_attribute("aria-pressed", "false")


async def test_names_of_a_lorebook_are_marked_in_the_lines_that_are_shown(
    page: Page, workspace: Workspace, address: str
) -> None:
    asked: list[int] = []
    page.on(
        "request", lambda each: asked.append(len(each.post_data or "")) if "/mentions" in each.url else None
    )
    line = "A line without a name.\n\n"
    text = f"The Lamp is out.\n\n{line * 12}The lighthouse.\n\n{line * 4000}The last ferry.\n"
    change_file(workspace, path_of(address), text)
    await opened(page, address)
    marks, seen = page.locator(".prose-lore-mark"), page.locator(".prose-lore a")
    choice = page.get_by_role("combobox", name="Lore")
    await expect(marks).to_have_count(0)

    await choice.click()
    await page.get_by_role("option", name="Skerrow").click()
    await marks.first.click()
    await expect(marks).to_have_text(["Lamp", "lighthouse"])
    await expect(marks.first).to_have_attribute("title", "lamp")
    await expect(seen).to_have_text(["lamp"])
    await page.mouse.wheel(0, 700)
    await expect(seen).to_have_text(["lighthouse"])
    await page.mouse.wheel(0, -700)
    await expect(seen).to_have_text(["lamp"])
    await expect(seen).to_have_attribute("href", "/ui/worlds/lorebooks/skerrow?entry=1")
    assert await findings(page) == []
    await typed_at_end(page, " By the lighthouse")
    await expect(seen).to_have_text(["ferry", "lighthouse"])
    await stored(page)
    await page.emulate_media(color_scheme="dark")
    await page.reload()
    await expect(marks).to_have_text(["ferry", "lighthouse"])  # where the caret was
    assert await findings(page) == []
    await page.get_by_role("button", name="Clear").click()
    await expect(page.locator(".prose-lore")).to_have_count(0)

    await expect(marks).to_have_count(0)
    assert asked
    assert max(asked) < 10_000, "more was asked about than is shown"


async def test_a_paste_that_is_too_long_is_named_and_takes_nothing_away(page: Page, address: str) -> None:
    await opened(page, address)
    await typed_at_end(page, "Before. ")
    await pasted(page, "tide ", 1_600_000)
    await expect(page.locator(".prose-state")).to_have_attribute("data-state", "too-long")
    await typed_at_end(page, "After.")
    await stored(page)

    assert await text_of(page) == TEXT + "Before. After."


@pytest.mark.parametrize("half", ["\0", chr(0xD83D), chr(0xDD6F)], ids=["NUL", "first half", "second half"])
async def test_a_character_that_cannot_be_stored_holds_up_no_words(
    page: Page, address: str, half: str
) -> None:
    await opened(page, address)
    await typed_at_end(page, "Before. ")
    await pasted(page, f"in{half}side \N{CANDLE}")
    await page.keyboard.type(" After.")
    await stored(page)

    assert await text_of(page) == TEXT + "Before. in\ufffdside \N{CANDLE} After."
    await page.reload()
    await opened(page, address)
    assert await text_of(page) == TEXT + "Before. in\ufffdside \N{CANDLE} After."


async def test_an_old_tab_after_an_upgrade_keeps_the_words_and_sends_them_once_loaded_again(
    browser: Browser, signed_in: StorageState, address: str
) -> None:
    async with tab(browser, signed_in) as page:
        await page.route("**/changes*", upgraded)
        await page.goto(address)
        state = page.locator(".prose-state")
        await expect(state).to_have_attribute("data-state", "outdated")
        await page.locator(".cm-content").click()
        await typed_at_end(page, "Typed into the old page.")
        await expect(state).to_contain_text("Penwright was upgraded")
        await page.unroute("**/changes*")
        await page.get_by_role("button", name="Load the page again").click()
        await page.locator(".cm-content").wait_for()
        await stored(page)

        assert await text_of(page) == TEXT + "Typed into the old page."


async def test_a_store_that_does_not_answer_is_said_and_every_word_is_kept(
    browser: Browser, workspace: Workspace, signed_in: StorageState, address: str
) -> None:
    async with tab(browser, signed_in) as page:
        await opened(page, address)
        await typed_at_end(page, "Before. ")
        await stored(page)
        workspace.home.child("postgres").kill()
        await typed_at_end(page, "While it is away. ")
        await expect(page.locator(".prose-state")).to_have_attribute("data-state", "offline")
        await stored(page)

        assert await text_of(page) == TEXT + "Before. While it is away. "


async def test_a_killed_process_is_told_on_a_page_until_it_is_ready_again(
    browser: Browser, workspace: Workspace, signed_in: StorageState
) -> None:
    async with tab(browser, signed_in) as page:
        await page.goto(f"{workspace.address}/books")
        notice = page.get_by_text("The process models is not ready")
        while not await notice.is_visible():
            with suppress(AssertionError, psutil.NoSuchProcess):  # it may be starting
                workspace.home.child("models").kill()
            await page.wait_for_timeout(2_000)

        await expect(notice).to_have_count(0, timeout=PATIENCE_MS)


async def pasted(page: Page, text: str, times: int = 1) -> None:
    """Paste ``text``, which may have halves of characters, ``times`` in a row."""
    units = memoryview(text.encode("utf-16-le", "surrogatepass")).cast("H").tolist()
    await page.evaluate(
        """([units, times]) => {
            const data = new DataTransfer();
            data.setData("text/plain", String.fromCharCode(...units).repeat(times));
            const given = { clipboardData: data, bubbles: true, cancelable: true };
            const paste = new ClipboardEvent("paste", given);
            document.querySelector(".cm-content").dispatchEvent(paste);
        }""",
        [units, times],
    )


async def upgraded(route: Route) -> None:
    """As a server of another version answers that takes no changes of this one."""
    if route.request.method == "POST":
        await route.fulfill(status=503, json={"code": "starting", "detail": "the server starts"})
    else:
        await route.fulfill(json={"version": 0, "changes": [], "program": "99.0"})


@pytest.mark.long
async def test_a_save_beside_a_session_puts_back_nothing_and_doubles_nothing(
    browser: Browser, signed_in: StorageState, workspace: Workspace, tmp_path: Path
) -> None:
    book = await written_book(workspace.services, tmp_path / "beside", "Beside", 1)
    place, review = tmp_path / "beside", "Review/current.md"
    lines = (place / review).read_text().split("\n\n")
    first, _, third = before = prose_of(lines)[:3]
    noted = (place / review).read_text().replace(third, f"{third} <!-- INK: make this shorter -->")
    (place / review).write_text(noted)
    git_in(place, "commit", "-q", "-am", "A note")
    given = await asyncio.to_thread(sessions.session_of, workspace.services, found(workspace, place), "")

    async with tab(browser, signed_in) as page:
        await opened(page, f"{workspace.address}/books/{book}/write?path={quote(review)}")
        session = asyncio.create_task(sessions.write(workspace.services, given, quietly))
        await page.locator(".cm-line", has_text=first[:30]).click()
        await page.keyboard.press("End")
        await page.keyboard.type(" HERS, in the first. ", delay=20)
        await page.locator(".cm-line", has_text=third[:30]).first.click()
        await page.keyboard.press("Home")
        await page.keyboard.type(" HERS, in the third. ", delay=20)
        await session
        await stored(page)
        await page.keyboard.press("Control+s")
        await expect(page.locator(".prose-state")).to_contain_text("Saved: commit", timeout=30_000)

    full_book = (place / "Current version/Full_Book.md").read_text()
    review_now = (place / review).read_text()
    theirs = re.sub(" HERS, in the (first|third)[.] ", "", f"{full_book}\n\n{review_now}")
    union = prose_of(theirs.split("\n\n"))
    assert [sum(each in text for text in union) for each in before] == [1, 1, 1]
    assert (full_book.count("HERS, in the first."), review_now.count("HERS, in the first.")) == (1, 0)
    assert (full_book + review_now).count("HERS, in the third.") == 1
    assert "INK: make this shorter" not in review_now
