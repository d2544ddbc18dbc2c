"""A scene in a real browser: played, directed, changed and branched, by keyboard where it can be."""

import asyncio
import base64
import re

import pytest
from playwright.async_api import Page, expect

from gateway.desk.scene import changes
from schemas.worlds import Picture, Scene
from tests.browser.conftest import Workspace

PATIENCE_MS = 60_000


@pytest.fixture
async def address(workspace: Workspace, request: pytest.FixtureRequest) -> str:
    """The page of a branch of its own, which shares the two rounds that were played."""
    title = re.sub(r"\W+", " ", request.node.name)[:40]
    _, made = await asyncio.to_thread(
        changes.branch, workspace.services, workspace.stock.scene, 2, f"Trial {title}"
    )
    return f"{workspace.address}/scenes/{made.id}"


async def opened(page: Page, address: str) -> None:
    await page.goto(address)
    await page.locator(".message").first.wait_for()


async def said_by_keyboard(page: Page, words: str) -> None:
    """Say something without a mouse, and without waiting for the field: no letter may go to the page."""
    await page.keyboard.press("w")
    await page.keyboard.type(words)
    await expect(page.get_by_label("What you say")).to_have_value(words)
    await page.keyboard.press("Enter")


async def test_three_rounds_with_a_reply_made_anew_and_a_branch(page: Page, address: str) -> None:
    await opened(page, address)
    messages = page.locator(".chat:not(.writing-now) > .message")
    for number in (3, 4, 5):
        await said_by_keyboard(page, f"Saying {number}.")
        await expect(page.get_by_text(f"{number} rounds so far")).to_be_visible(timeout=PATIENCE_MS)
        await expect(page.get_by_label("What you say")).to_have_value("")
        await expect(page.get_by_label("What you say")).to_be_in_viewport(ratio=1)
        await page.locator("h1").click()
    count = await messages.count()
    last = messages.nth(count - 1)
    before = await last.locator(".prose").inner_text()

    await page.keyboard.press("r")
    await expect(last.get_by_text("2/2")).to_be_visible(timeout=PATIENCE_MS)
    await expect(last.locator(".prose")).not_to_have_text(before)
    await page.keyboard.press("[")
    await expect(last.get_by_text("1/2")).to_be_visible()
    await expect(last.locator(".prose")).to_have_text(before)

    await last.get_by_role("button", name="Branch").click()
    await expect(page.locator(".said")).to_contain_text("is among the scenes")
    await expect(page.locator(".said").get_by_role("link", name="Open it")).to_be_visible()
    await page.goto(f"{address}?tab=lore")  # the newest round made one reply anew, without the director
    await expect(page.get_by_role("heading", name="Round 5, pass 1")).to_be_visible()
    await page.goto(f"{address}?tab=branches")
    mine = page.locator(".branches li", has=page.locator("a[aria-current]")).last
    await expect(mine.locator("ul li")).to_contain_text("leaves after round 5")
    await expect(mine).to_contain_text("Mira: Saying 3.")


async def test_a_scene_opens_at_its_newest_message_and_keeps_what_is_drawn(page: Page, address: str) -> None:
    await page.set_viewport_size({"width": 1280, "height": 700})
    await opened(page, address)
    messages = page.locator(".chat:not(.writing-now) > .message")
    await expect(messages.last).to_be_in_viewport(ratio=0.9)
    await expect(messages.first).not_to_be_in_viewport()
    await messages.first.evaluate("each => each.dataset.marked = 'yes'")

    await said_by_keyboard(page, "Saying 3.")
    await expect(page.get_by_text("3 rounds so far")).to_be_visible(timeout=PATIENCE_MS)

    await expect(messages.last).to_contain_text("round 3")
    await expect(messages.last).to_be_in_viewport(ratio=0.9)
    await expect(messages.first).to_have_attribute("data-marked", "yes")


async def test_an_edit_is_kept_as_another_alternative(page: Page, address: str) -> None:
    await opened(page, address)
    first = page.locator(".message").first

    await first.get_by_role("button", name="Edit").click()
    field = page.get_by_label("Its words")
    await expect(field).to_have_value("Who lit the lamp on the jetty?")
    await field.fill("Who put the lamp out?\n\n<b>Was it you?</b>")
    await field.press("Control+Enter")

    await expect(first.get_by_text("2/2")).to_be_visible()
    await expect(first.locator(".prose p")).to_have_text(["Who put the lamp out?", "<b>Was it you?</b>"])
    await expect(first.locator(".prose b")).to_have_count(0)
    await first.get_by_role("button", name="the alternative before").click()
    await expect(first.locator(".prose")).to_have_text("Who lit the lamp on the jetty?")


async def test_a_plan_that_waits_is_found_on_the_board_changed_and_played(
    page: Page, workspace: Workspace, address: str
) -> None:
    await opened(page, address)
    waits = page.locator(".waits li", has_text=await page.locator("h1").inner_text())
    await page.get_by_role("switch", name="Hold each plan").click()
    await expect(page.locator(".said")).to_contain_text("plans wait for you")
    await said_by_keyboard(page, "Where were you?")
    held = page.locator(".held")
    await held.wait_for(timeout=PATIENCE_MS)
    await page.goto(f"{workspace.address}/")
    await expect(waits).to_contain_text("plan for round 3 waits for you")
    await waits.get_by_role("link").click()
    await expect(page.locator(".round-line [aria-current]")).to_contain_text("waits for you")
    await expect(page.get_by_role("heading", name="Pass ")).to_have_count(1)
    await expect(page.get_by_role("heading", name="Round 3", exact=True)).to_have_count(0)
    await page.set_viewport_size({"width": 390, "height": 844})
    await page.get_by_role("link", name="See the plan").click()
    await expect(held.get_by_role("heading")).to_be_in_viewport()
    await page.set_viewport_size({"width": 1280, "height": 900})

    for name in ("Ann Quist", "Bob Vane"):
        if await held.get_by_role("button", name=f"Strike {name}").count():
            await held.get_by_role("button", name=f"Strike {name}").click()
            await expect(held.get_by_role("button", name=f"Strike {name}")).to_have_count(0)
    await held.get_by_role("combobox").click()
    await page.get_by_role("option", name="Bob Vane").click()
    await held.get_by_role("button", name="Add to the plan").click()
    await held.get_by_label("What Bob Vane is told").fill("Speak of the road.")
    await held.get_by_role("button", name="Play this plan").click()

    await expect(page.get_by_text("3 rounds so far")).to_be_visible(timeout=PATIENCE_MS)
    await expect(page.locator(".message", has_text="round 3").locator("h3")).to_have_text(
        ["Mira", "Bob Vane"]
    )
    await expect(page.get_by_text("Bob Vane: Speak of the road. (spoken)")).to_be_visible()
    await page.get_by_role("link", name="Board").click()
    await expect(page.get_by_role("heading", name="Waits for a person")).to_be_visible()
    await expect(waits).to_have_count(0)


async def test_a_round_is_stopped_by_a_key_and_what_was_said_stays(page: Page, address: str) -> None:
    await opened(page, address)
    await page.get_by_role("switch", name="Hold each plan").click()
    await expect(page.locator(".said")).to_contain_text("plans wait for you")
    await said_by_keyboard(page, "Stay where you are.")
    await page.locator(".held").wait_for(timeout=PATIENCE_MS)
    await page.locator("h1").click()

    await page.keyboard.press("s")

    await expect(page.locator(".said")).to_contain_text("stopped", timeout=PATIENCE_MS)
    await expect(page.locator(".lead")).to_contain_text("ended by", timeout=PATIENCE_MS)
    await expect(page.get_by_text("Stay where you are.")).to_be_visible()


async def test_states_trackers_and_the_cast_are_changed(page: Page, address: str) -> None:
    await opened(page, address)
    cast = page.get_by_label("Cast", exact=True)
    ann = cast.locator(".card", has_text="Ann Quist")
    await ann.get_by_role("button", name="Secrets").click()
    await expect(page.get_by_text("She has sold the ferry.")).to_be_visible()
    await page.keyboard.press("Escape")
    await expect(page.get_by_text("She has sold the ferry.")).to_have_count(0)

    await ann.get_by_role("button", name="Change").click()
    await page.get_by_label("Mood").fill("wary")
    await page.get_by_role("button", name="Save").click()
    await expect(ann).to_contain_text("wary")
    await cast.get_by_role("button", name="Change trackers").click()
    await page.get_by_label("Name of a new one").fill("weather")
    await page.get_by_label("Its value").fill("fog")
    await page.get_by_role("button", name="Save").click()
    await expect(cast).to_contain_text("fog")
    await cast.get_by_role("button", name="Take over: Bob Vane").click()
    await expect(cast.get_by_text("played by a person")).to_be_visible()
    await cast.get_by_role("button", name="Give back: Bob Vane").click()
    await expect(cast.get_by_text("played by a person")).to_have_count(0)
    await cast.get_by_role("button", name="Send Bob Vane out").click()

    await expect(cast.locator("details")).to_contain_text("1 who may come")


async def test_pictures_are_shown_and_taken_away(page: Page, address: str, workspace: Workspace) -> None:
    scene = address.rpartition("/")[2]
    await asyncio.to_thread(_kept_picture, workspace, scene)
    await page.goto(f"{address}?tab=pictures")
    shown = page.get_by_role("img", name="The quay.")
    await expect(shown).to_be_visible()
    assert await shown.evaluate("image => image.decode().then(() => image.naturalWidth)") == 1

    await page.get_by_role("button", name="Remove picture 1").click()

    await expect(page.get_by_text("No picture was painted yet.")).to_be_visible()


def _kept_picture(workspace: Workspace, scene: str) -> None:
    """A picture of one pixel, as a painter would have left it."""
    pixel = base64.b64decode(
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
    )
    with workspace.services.open_store() as store:
        found = store.worlds.read(Scene, scene)
        assert found is not None
        picture = Picture(
            image=store.blobs.put(pixel),
            kind="image/png",
            caption="The quay.",
            prompt="A quay.",
            model="brush",
            run="agent/x",
            made_at=workspace.services.now(),
        )
        store.worlds.change(found.model_copy(update={"pictures": (picture,)}))


async def test_a_text_is_tried_against_the_lore(page: Page, address: str) -> None:
    await opened(page, f"{address}?tab=lore")
    field = page.get_by_label("As if this were said")
    await field.fill("The lighthouse is dark.")
    await field.press("Control+Enter")

    await expect(page.locator(".said")).to_contain_text("1 would fire")
    await expect(page.locator(".tried tbody tr").first).to_contain_text("lighthouse")


async def test_the_chat_begins_beside_the_cast_in_a_narrower_window(page: Page, address: str) -> None:
    await page.set_viewport_size({"width": 1000, "height": 800})
    await opened(page, address)
    cast, chat, backstage = [
        await page.get_by_role("region", name=name, exact=True).bounding_box()
        for name in ("Cast", "Chat", "Backstage")
    ]

    assert cast
    assert chat
    assert backstage
    assert chat["y"] == cast["y"] < backstage["y"]
    assert chat["x"] < cast["x"] == backstage["x"]


async def test_what_is_typed_tells_which_lore_it_would_make_fire(page: Page, address: str) -> None:
    await opened(page, address)
    field, marks = page.get_by_label("What you say"), page.get_by_label("Lore that would fire")
    await field.fill("Is the lighthouse dark?")
    await page.get_by_role("button", name="Which lore?").click()
    await expect(marks.get_by_role("link")).to_have_text(["lighthouse (in Skerrow)"])
    await field.fill("I wait.")
    await page.get_by_role("button", name="Which lore?").click()
    await expect(marks.get_by_role("link")).to_have_count(0)

    assert await field.input_value() == "I wait."


async def test_words_that_were_not_sent_are_there_after_a_reload(page: Page, address: str) -> None:
    await opened(page, address)
    await page.get_by_label("What you say").fill("Not sent yet")
    await page.reload()

    await expect(page.get_by_label("What you say")).to_have_value("Not sent yet")


async def test_the_newest_round_is_taken_back(page: Page, address: str) -> None:
    await opened(page, address)
    messages = page.locator(".chat:not(.writing-now) > .message")
    before = await messages.count()

    await page.get_by_role("button", name="Take the last round back").click()

    await expect(page.locator(".said")).to_contain_text("round 2 is taken back")
    await expect(messages).not_to_have_count(before)
    assert 0 < await messages.count() < before
