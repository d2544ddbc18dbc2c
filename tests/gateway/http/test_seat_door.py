"""The door of a seat: a link's secret becomes a cookie that opens the seat's page, and nothing else."""

import httpx
import pytest

from gateway.desk.scene.table.seats import invite, leave, seat_of, take_away
from gateway.http.seat_door import mark_of
from tests.support.each import for_each
from tests.support.gateway.http import ORIGIN, Api
from tests.support.gateway.services import StageServices

PAGE = {"accept": "text/html"}
ELSEWHERE = (
    *("/ui/", "/ui/scenes/the-quay", "/ui/settings", "/api/v1/me", "/api/v1/scenes", "/api/v1/events"),
    *("/api/v1/scenes/the-quay", "/api/v1/scenes/the-quay/messages", "/api/v1/openapi.json", "/"),
)


@pytest.fixture
def link(services: StageServices, scene: str) -> str:
    """Secret of a seat as Ann."""
    return invite(services, scene, "Ann").secret


async def entered(client: httpx.AsyncClient, link: str) -> httpx.Response:
    return await client.post("/seats/session", json={"secret": link}, headers={"origin": ORIGIN})


async def test_a_link_is_exchanged_for_the_page_of_its_seat(api: Api, link: str) -> None:
    async with api.client() as client:
        answer = await entered(client, link)
        page = await client.get(f"{ORIGIN}{answer.json()['page']}", headers=PAGE)

    assert answer.status_code == 201
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert link not in answer.text
    assert page.status_code == 404, "the guard let it through to an application without pages"


@for_each("path", ELSEWHERE)
async def test_a_seat_opens_no_other_page_and_nothing_of_the_api(api: Api, link: str, path: str) -> None:
    async with api.client() as client:
        await entered(client, link)
        as_guest = await client.get(f"{ORIGIN}{path}", headers=PAGE)
    async with api.client() as client:
        as_stranger = await client.get(f"{ORIGIN}{path}", headers=PAGE)

    assert as_guest.status_code == 401
    assert (as_stranger.status_code, as_stranger.headers["content-type"]) == (
        401,
        as_guest.headers["content-type"],
    )


async def test_the_cookie_of_one_seat_does_not_open_another(
    api: Api, link: str, services: StageServices, scene: str
) -> None:
    other = invite(services, scene, "Bob").secret
    async with api.client() as client:
        await entered(client, link)
        answer = await client.get(f"{ORIGIN}/ui/seat/{mark_of(other)}", headers=PAGE)

    assert answer.status_code == 401
    assert "Open the link that you were sent" in answer.text


async def test_a_browser_holds_two_seats_and_the_operators_session(
    api: Api, link: str, services: StageServices, scene: str
) -> None:
    other = invite(services, scene, "Bob").secret
    async with api.browser() as client:
        pages = [(await entered(client, each)).json()["page"] for each in (link, other)]
        answers = [await client.get(f"{ORIGIN}{page}", headers=PAGE) for page in pages]
        me = await client.get("/me")

    assert [each.status_code for each in answers] == [404, 404]
    assert me.status_code == 200


@pytest.mark.parametrize(
    ("ended", "code"), [("unknown", "seat-unknown"), ("left", "seat-left"), ("taken", "seat-taken-away")]
)
async def test_a_link_that_opens_nothing_says_why(
    api: Api, link: str, services: StageServices, scene: str, ended: str, code: str
) -> None:
    async with api.client() as client:
        page = (await entered(client, link)).json()["page"]
        if ended == "left":
            leave(services, seat_of(services, link))
        elif ended == "taken":
            take_away(services, scene, "Ann")
        anew = await entered(client, "pws_x" if ended == "unknown" else link)
        again = await client.get(f"{ORIGIN}{page}", headers=PAGE)

    assert anew.json()["code"] == code
    assert anew.json()["hint"] == "ask the person who runs the scene for a new link"
    if ended != "unknown":
        assert again.status_code == 403
        assert code in again.text
        assert "Ask the person who runs the scene for a new link." in again.text


async def test_the_door_itself_is_open_to_everybody(api: Api) -> None:
    async with api.client() as client:
        answers = [await client.get(f"{ORIGIN}{path}", headers=PAGE) for path in ("/seat", "/seat/enter.js")]

    assert [each.status_code for each in answers] == [200, 200]
    assert "unsafe" not in answers[0].headers["content-security-policy"]
