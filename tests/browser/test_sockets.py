"""Sockets of pages as a browser has them: whose they are, and what becomes of them."""

import asyncio
import json
import re
from datetime import UTC, datetime, timedelta
from secrets import token_hex, token_urlsafe

import pytest
from playwright.async_api import Browser, Page, StorageState, expect
from websockets.asyncio.client import ClientConnection, connect

from gateway.desk.access import LONGEST_SESSION, Access, digest
from gateway.desk.principals import SCOPES, local_user
from schemas.web import Credential
from tests.browser.conftest import Workspace, sign_in


async def reader(workspace: Workspace) -> str:
    """The secret of a token that may read one book."""
    access, ours = Access(workspace.services), local_user(workspace.services.person())
    subjects = (f"book/{workspace.stock.book}",)
    return (await asyncio.to_thread(access.create_token, ours, "reader", ("read",), subjects)).secret


def socket(workspace: Workspace, secret: str, query: str = "") -> connect:
    origin = workspace.address.removesuffix("/ui")
    address = f"ws{workspace.address.removeprefix('http')}/_nicegui_ws/socket.io/"
    return connect(
        f"{address}?EIO=4&transport=websocket{query}",
        origin=origin,  # type: ignore[arg-type]
        additional_headers={"authorization": f"Bearer {secret}"},
    )


async def answered(connection: ClientConnection, sent: str) -> str:
    """The next answer that is no ping of the protocol."""
    await connection.send(sent)
    async with asyncio.timeout(20):
        while (told := str(await connection.recv()))[0] in "02":
            continue
    return told


@pytest.mark.parametrize("at_once", [True, False])
async def test_a_page_is_not_shown_by_the_socket_of_another_user(
    page: Page, workspace: Workspace, at_once: bool
) -> None:
    await page.goto(f"{workspace.address}/")
    client_id, tab_id = await page.evaluate("[window.clientId, sessionStorage.__nicegui_tab_id]")
    about = {"client_id": client_id, "tab_id": tab_id, "document_id": "d", "next_message_id": 0}
    query = "".join(f"&{name}={value}" for name, value in about.items()) + "&implicit_handshake=true"

    async with socket(workspace, await reader(workspace), query if at_once else "") as connection:
        joined = await answered(connection, "40")
        if at_once:
            assert joined == '44{"message":"Implicit handshake failed"}'
        else:
            assert await answered(connection, f"420{json.dumps(['handshake', about])}") == "430[false]"


async def test_a_page_does_not_hear_the_socket_of_another_user(page: Page, workspace: Workspace) -> None:
    sent: list[str] = []
    page.on("websocket", lambda made: made.on("framesent", lambda frame: sent.append(str(frame))))
    await page.goto(f"{workspace.address}/")
    palette = page.get_by_role("dialog")
    await page.get_by_role("button", name="Go to").click()
    await expect(palette).to_be_visible()
    click = [each for each in sent if '["event"' in each][-1]
    await page.keyboard.press("Escape")
    await expect(palette).to_be_hidden()

    async with socket(workspace, await reader(workspace)) as connection:
        await answered(connection, "40")
        await connection.send(click)
        assert await answered(connection, '420["handshake",{"client_id":"none"}]') == "430[false]"
    await page.wait_for_timeout(500)

    await expect(palette).to_be_hidden()


async def test_the_end_of_a_session_is_said_before_and_a_new_one_takes_its_place(
    browser: Browser, workspace: Workspace, signed_in: StorageState
) -> None:
    ends = datetime.now(UTC) + timedelta(minutes=15, seconds=4)
    context = await browser.new_context(storage_state=signed_in)
    cookie = (await context.cookies())[0]
    cookie["value"] = await asyncio.to_thread(a_session_that_ends, workspace, ends)
    await context.add_cookies([cookie])  # type: ignore[list-item]  # Playwright's two types of a cookie
    page = await context.new_page()
    await page.goto(f"{workspace.address}/books/{workspace.stock.second_book}/write?path=README.md")
    said = page.get_by_role("status").get_by_text("You will be signed out at")
    await expect(page.locator(".prose-state")).to_have_text("Saved")
    assert await said.count() == 0

    await expect(said).to_contain_text("keep your words in this browser")
    await page.locator(".cm-content").press("Control+End")
    await page.keyboard.type(" Before the end.")
    await sign_in(context, workspace)

    await expect(said).to_be_hidden()
    await expect(page.locator(".cm-content")).to_contain_text(" Before the end.")
    await expect(page.locator(".prose-state")).to_have_text(re.compile("All words are stored"))
    await context.close()


def a_session_that_ends(workspace: Workspace, ends: datetime) -> str:
    """The secret of a session that ends then, whatever is done."""
    secret, services = token_urlsafe(32), workspace.services
    session = Credential(
        id=token_hex(6),
        kind="session",
        name=services.person(),
        scopes=tuple(SCOPES),
        created_at=ends - LONGEST_SESSION,
        expires_at=ends,
    )
    with services.open_store() as store:
        store.credentials.add(session, digest(secret))
    return secret


async def test_a_page_whose_session_ended_says_so_and_goes_on_once_one_signed_in_again(
    browser: Browser, workspace: Workspace
) -> None:
    context = await browser.new_context()
    await sign_in(context, workspace)
    page = await context.new_page()
    await page.goto(f"{workspace.address}/books/{workspace.stock.book}/write?path=README.md")
    state, popup = page.locator(".prose-state"), page.locator("#popup")
    await expect(state).to_have_text("Saved")
    request = context.request
    origin = workspace.address.removesuffix("/ui")
    ended = await request.delete(f"{origin}/api/v1/session", headers={"origin": origin})
    assert ended.status == 204

    await expect(popup).to_contain_text("You are signed out")
    await page.locator(".cm-content").press("Control+End")
    await page.keyboard.type(" Kept.")
    await expect(state).to_contain_text("You are signed out")
    await sign_in(context, workspace)

    await expect(popup).to_be_hidden()
    await expect(page.locator(".cm-content")).to_contain_text(" Kept.")
    await expect(state).to_have_text(re.compile("All words are stored"))
    await context.close()
