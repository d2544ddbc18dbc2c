"""What a page's client id is worth to others, and what strangers leave behind."""

from typing import Any

import httpx
import pytest
from nicegui import Client, core
from nicegui.testing import User
from nicegui.testing.user_simulation import user_simulation

from gateway.desk.access import Access
from gateway.desk.principals import Principal
from gateway.http.guard import Guard
from gateway.hub import Hub
from gateway.ui.app import register
from gateway.ui.sockets import checked
from tests.support.gateway.http import ORIGIN, SITE
from tests.support.gateway.services import StageServices


@pytest.mark.long
@pytest.mark.parametrize("message", ["handshake", "event"])
async def test_a_client_id_is_worth_nothing_to_another_principal(
    user: User, principal: Principal, message: str
) -> None:
    await user.open("/")
    (client_id,) = Client.instances
    heard: list[str] = []

    def handler(sid: str, told: dict[str, Any]) -> bool:
        heard.append(sid)
        return True

    guest = Principal("guest", frozenset({"read"}))
    askers: dict[str, Principal | None] = {"own": principal, "other": guest, "none": None}
    guarded = checked(handler, lambda sid: askers[sid])
    forged: list[Any] = [
        {"client_id": client_id},
        {"client_id": [client_id]},
        {},
        None,
        "x",
        {"client_id": "?"},
    ]
    answers = {
        (sid, number): await guarded(sid, told) for sid in askers for number, told in enumerate(forged)
    }

    assert {asked for asked, answer in answers.items() if answer} == {("own", 0)}
    assert heard == ["own"]


async def test_strangers_leave_no_pages_behind(services: StageServices) -> None:
    async with user_simulation():
        register(services, Hub(services))
        transport = httpx.ASGITransport(Guard(core.app, Access(services), SITE))
        async with httpx.AsyncClient(transport=transport, base_url=ORIGIN) as stranger:
            answers = [await stranger.get("/ui/books", headers={"accept": "text/html"}) for _ in range(200)]
        left = len(Client.instances)
        Client.page_routes.clear()

    assert {each.status_code for each in answers} == {401}
    assert left == 0
