"""Sockets of pages as a browser has them: whose they are, and what becomes of them."""

import asyncio
import json

import pytest
from playwright.async_api import Page, expect
from websockets.asyncio.client import ClientConnection, connect

from gateway.desk.access import Access
from gateway.desk.principals import local_user
from tests.browser.conftest import Workspace


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
