"""Cards, lorebooks and what scenes share, in a real browser."""

import asyncio
import json
from pathlib import Path
from typing import Any
from urllib.parse import quote
from uuid import uuid4

from playwright.async_api import Browser, FilePayload, Page, StorageState, expect

from gateway.desk.scene import creating
from gateway.desk.scene.creating import NewScene
from gateway.desk.worlds import cards
from schemas.worlds import Character, World
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
    await expect(answers.nth(0)).to_contain_text("taken in as a character: ")
    await expect(answers.locator("a")).to_have_text(name)
    await page.locator(".cards a", has_text=name).click()

    await page.locator("summary", has=page.get_by_text("description", exact=True)).click()
    await expect(page.get_by_label("Description")).to_have_value(HOSTILE)
    assert await page.title() == f"{name} · Penwright"
    assert await page.locator(".content img").count() == 0


HELD_BY = (
    *("name", "description", "personality", "scenario", "first_mes", "mes_example", "creator_notes"),
    *("system_prompt", "post_history_instructions", "creator", "character_version"),
)
"""Fields of a card that hold one text."""


def a_script(of: str) -> str:
    """A text that tells where it came from, if any page makes a script or an element of it."""
    told = f"(window.ran = window.ran || []).push('{of}')"
    return (
        f'</textarea></p><script>{told}</script><img class="{of}" src=x onerror="{told}">'
        f'<svg onload="{told}">'
        f"{{{{constructor.constructor('{told}')()}}}} [{of}](javascript:{told})"
    )


# Any: JSON.
def hostile_card() -> dict[str, Any]:
    """A card of which every field, its names too, tries to be a page."""
    entry = {
        **{"keys": [a_script("key")], "secondary_keys": [a_script("second-key")], "enabled": True},
        **{"content": a_script("entry"), "comment": a_script("comment"), "name": a_script("entry-name")},
        **{
            "insertion_order": 1,
            "constant": True,
            "extensions": {a_script("a"): a_script("entry-extension")},
        },
    }
    data = {
        **{field: a_script(field) for field in HELD_BY},
        **{"alternate_greetings": [a_script("greeting")], "tags": [a_script("tag"), "x" * 5000]},
        **{"extensions": {a_script("b"): {"deep": [a_script("extension")]}}, "unknown": a_script("unknown")},
        "character_book": {"name": a_script("book"), "description": a_script("about"), "entries": [entry]},
    }
    return {"spec": "chara_card_v2", "spec_version": "2.0", "data": data}


async def test_no_field_of_a_card_becomes_a_page(page: Page, workspace: Workspace) -> None:
    def taken() -> list[str]:
        services = workspace.services
        made = cards.take_card(services, json.dumps(hostile_card()).encode(), Path("<b>card</b>.json"))
        assert made.book is not None
        wish = NewScene(
            title="<img src=x onerror=\"window.ran = ['title']\">",
            world="Skerrow",
            cast=(made.character.id,),
            persona="Mira",
        )
        scene = creating.create(services, wish).scene.id
        entry = quote(made.book.entries[0].uid)
        return [
            *("/worlds", "/worlds?kind=lorebooks", "/scenes", "/"),
            f"/worlds/characters/{made.character.id}",
            f"/worlds/lorebooks/{made.book.id}?entry={entry}",
            *(f"/scenes/{scene}?tab={tab}" for tab in ("direction", "lore", "branches")),
        ]

    found = {}
    for path in await asyncio.to_thread(taken):
        await page.goto(workspace.address + path)
        await page.locator("h1").wait_for()
        assert await page.locator("h1").inner_text() not in ("This page failed", "This page cannot be shown")
        for folded in await page.locator("summary").all():
            await folded.click()
        found[path] = await page.evaluate(
            "[window.ran, document.querySelectorAll('.content :is(script, img, [onload])').length]"
        )

    assert {path: seen for path, seen in found.items() if seen != [None, 0]} == {}


async def test_a_hostile_card_and_a_known_one_are_refused_and_named(
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
    known = card(f"Dot {uuid4().hex[:6]}")
    for answers in (2, 3):
        await page.locator("input[type=file]").set_input_files([known])
        await expect(page.locator(".answers li")).to_have_count(answers)
    await expect(page.locator(".answers li.needs")).to_have_count(2)
    await expect(page.locator(".answers li.needs").nth(1)).to_contain_text("you find it on this page")
    await context.close()


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
    await expect(page.locator(".answers li")).to_contain_text("taken in as a lorebook")
    await page.locator(".cards a", has_text=name).click()
    await page.locator(".entries a", has_text="Gulls").click()

    await page.locator("summary", has=page.get_by_text("content", exact=True)).click()
    field = page.get_by_label("Content")
    await expect(field).to_have_value(HOSTILE)
    await field.fill("Gulls know where the fish is.")
    await field.press("Control+Enter")

    await expect(page.locator(".said")).to_contain_text("content is stored")
    await expect(page.locator("summary", has_text="content")).to_contain_text("Gulls know where the fish is.")
    await expect(field).to_have_value("Gulls know where the fish is.")
    assert await page.locator(".content img").count() == 0


async def test_a_dropped_chat_becomes_a_scene_of_the_chosen_world(page: Page, workspace: Workspace) -> None:
    named = f"Isle {uuid4().hex[:6]}"
    with workspace.services.open_store() as store:
        store.worlds.create(World(id="", name=named))
    said = {"name": "Dot", "is_user": False, "mes": "Who is there?"}
    chat = "\n".join(json.dumps(each) for each in ({"user_name": "Mira", "character_name": "Dot"}, said))

    await page.goto(f"{workspace.address}/worlds")
    await page.get_by_label("World of chats").fill(named)
    await page.get_by_role("option", name=named).click()
    await page.wait_for_timeout(1_500)  # the choice goes to the server and back to the place
    await page.locator("input[type=file]").set_input_files(
        [FilePayload(name="sea.jsonl", mimeType="application/json", buffer=chat.encode())]
    )

    await expect(page.locator(".drop [role=status]")).to_contain_text("Taking in sea.jsonl …")
    await expect(page.locator(".answers li")).to_contain_text("taken in as a scene: ")
    await expect(page.locator(".drop [role=status]")).to_be_hidden()


async def test_what_is_typed_into_a_field_stays_when_the_field_is_changed_elsewhere(
    page: Page, workspace: Workspace
) -> None:
    with workspace.services.open_store() as store:
        nora = store.worlds.create(Character(id="", name=f"Nora {uuid4().hex[:6]}", description="A keeper."))
    await page.goto(f"{workspace.address}/worlds/characters/{nora.id}")
    for name in ("description", "personality"):
        await page.locator("summary", has=page.get_by_text(name, exact=True)).click()
    await page.get_by_label("Description").fill("A keeper of lamps.")

    with workspace.services.open_store() as store:
        theirs = {"description": "A keeper of boats.", "personality": "Slow to anger."}
        store.worlds.change(nora.model_copy(update=theirs))

    await expect(page.get_by_label("Personality")).to_have_value("Slow to anger.")
    await expect(page.locator("summary", has_text="description")).to_contain_text("A keeper of boats.")
    await expect(page.get_by_label("Description")).to_have_value("A keeper of lamps.")
    await expect(page.get_by_text("(it was changed elsewhere meanwhile")).to_be_visible()
    await page.reload()
    await page.locator("summary", has=page.get_by_text("description", exact=True)).click()
    await expect(page.get_by_label("Description")).to_have_value("A keeper of lamps.")
