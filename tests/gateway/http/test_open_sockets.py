"""The sockets of open pages: what is done there keeps a session, and a page that only lies there does not."""

import asyncio

import pytest
from starlette.types import Message, Receive, Scope, Send

from gateway.desk.access import IDLE, LONGEST_SESSION, Caller
from gateway.http import open_sockets
from gateway.http.open_sockets import OpenSockets
from tests.support.gateway.http import SITE, Api
from tests.support.gateway.services import StageServices


class Page:
    """A page open in a browser, and nothing else of that browser."""

    def __init__(self, api: Api, caller: Caller) -> None:
        self._says: asyncio.Queue[str] = asyncio.Queue()
        self.closed = False
        self._open = asyncio.create_task(
            OpenSockets(api.access).serve(self._app, {}, self._receive, self._send, caller.credential)
        )

    async def says(self, text: str, *, until: float = 0.2) -> None:
        """Send a message, and leave time for it to be noted."""
        self._says.put_nowait(text)
        await asyncio.wait({self._open}, timeout=until)

    async def _receive(self) -> Message:
        return {"type": "websocket.receive", "text": await self._says.get()}

    async def _send(self, message: Message) -> None:
        self.closed = message["type"] == "websocket.close"

    async def _app(self, scope: Scope, receive: Receive, send: Send) -> None:
        while (await receive())["type"] != "websocket.disconnect":
            continue

    async def leave(self) -> None:
        self._open.cancel()
        await asyncio.wait({self._open})


@pytest.fixture
async def caller(api: Api) -> Caller:
    async with api.browser() as client:
        found = api.access.of_session(client.cookies[SITE.cookie])
    assert found
    return found


@pytest.mark.parametrize(
    ("said", "kept"),
    [('42["event",{"id":7}]', True), ("3", False), ('42["ack",{"next_message_id":3}]', False)],
)
async def test_a_session_is_kept_by_what_is_done_on_an_open_page(
    api: Api, services: StageServices, caller: Caller, monkeypatch: pytest.MonkeyPatch, said: str, kept: bool
) -> None:
    monkeypatch.setattr(open_sockets, "CHECKED_EVERY_S", 0.01)
    monkeypatch.setattr(open_sockets, "USE_NOTED_EVERY_S", 0.0)
    page = Page(api, caller)
    for _ in range(3):
        services.clock.present += IDLE * 0.6
        await page.says(said)
    await page.leave()

    assert api.access.valid(caller.credential) == kept
    assert page.closed != kept


async def test_no_use_keeps_a_session_longer_than_a_week(
    api: Api, services: StageServices, caller: Caller
) -> None:
    ends = services.clock.present + LONGEST_SESSION
    while services.clock.present + IDLE / 2 < ends:
        services.clock.present += IDLE / 2
        api.access.note_used([caller.credential])
        assert api.access.valid(caller.credential)
    services.clock.present = ends
    api.access.note_used([caller.credential])
    assert not api.access.valid(caller.credential)
