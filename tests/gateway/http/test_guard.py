"""What the guard lets through, and what it answers the others."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from starlette.types import Message

from gateway.http import limits
from gateway.http.guard import OPEN
from gateway.http.limits import BODY
from gateway.http.site import PREFIX
from tests.support.gateway.http import ORIGIN, SITE, Api
from tests.support.gateway.services import StageServices
from workers.http_server import listen, serving

ALWAYS = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


def routes(api: Api) -> list[tuple[str, str]]:
    """Every method and path that the application answers."""
    told = [(name.upper(), path) for path, each in api.app.openapi()["paths"].items() for name in each]
    untold = [
        (method, str(getattr(route, "path", "")))
        for route in api.app.routes
        for method in getattr(route, "methods", None) or ()
    ]
    return told + untold


async def test_no_route_answers_a_stranger_but_those_that_are_named(api: Api) -> None:
    closed = [each for each in routes(api) if each not in OPEN and ("GET", each[1]) not in OPEN]
    async with api.client() as client:
        answers = {each: (await client.request(each[0], f"{ORIGIN}{each[1]}")).status_code for each in closed}

    assert {("GET", f"{PREFIX}/me"), ("GET", f"{PREFIX}/openapi.json")} <= set(closed)
    assert {each: status for each, status in answers.items() if status not in (401, 429)} == {}


@pytest.mark.parametrize("path", ["/", "/ui/", "/ui/books/tide", "/nothing", f"{PREFIX}/nothing"])
async def test_an_address_that_does_not_exist_is_closed_too(api: Api, path: str) -> None:
    async with api.client() as client:
        assert (await client.get(f"{ORIGIN}{path}")).status_code == 401


async def test_a_browser_without_a_session_is_told_how_to_sign_in(api: Api) -> None:
    async with api.client(accept="text/html") as client:
        page = await client.get(f"{ORIGIN}/ui/books/tide")
        data = await client.get("/me")

    assert page.status_code == 401
    assert "penwright web" in page.text
    assert data.json()["code"] == "not-signed-in"


async def test_what_is_open_tells_nothing(api: Api) -> None:
    async with api.client() as client:
        health = await client.get(f"{ORIGIN}/healthz")
        login = await client.get(f"{ORIGIN}/login")
        script = await client.get(f"{ORIGIN}/login/sign-in.js")

    assert health.json() == {"status": "ok"}
    assert login.status_code == script.status_code == 200
    assert "script-src 'self'" in login.headers["content-security-policy"]
    assert "unsafe" not in login.headers["content-security-policy"]


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1:81", "127.0.0.1:7280.evil.example"])
@pytest.mark.parametrize("path", ["/healthz", "/ui/", f"{PREFIX}/me", f"{PREFIX}/events"])
async def test_a_name_that_is_not_ours_is_misdirected(api: Api, host: str, path: str) -> None:
    async with api.client(api.token(), host=host) as client:
        assert (await client.get(f"{ORIGIN}{path}")).status_code == 421


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
async def test_another_site_changes_nothing(api: Api, headers: dict[str, str]) -> None:
    async with api.browser() as client:
        answer = await client.delete("/session", headers=headers)
        still = await client.get("/me")

    assert answer.status_code == 403
    assert still.status_code == 200


async def test_a_session_changes_nothing_without_an_origin(api: Api) -> None:
    async with api.browser() as client:
        del client.headers["origin"]
        answer = await client.delete("/session")

    assert (answer.status_code, answer.json()["code"]) == (403, "no-origin")


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=b"]
)
async def test_a_form_of_another_site_is_no_json(api: Api, kind: str) -> None:
    async with api.client(api.token("admin"), **{"content-type": kind}) as client:
        answer = await client.post("/tokens", content='{"name": "x", "scopes": ["admin"]}')

    assert answer.status_code == 415


async def test_every_answer_has_the_headers_that_protect_it(api: Api) -> None:
    async with api.client(api.token("admin")) as client:
        answers = [
            await client.get("/me"),
            await client.get("/nothing"),
            await client.post("/tokens", json={}),
            await client.post("/tokens", content="{", headers={"content-type": "application/json"}),
            await client.get("/me", headers={"host": "evil.example"}),
            await client.get("/me", headers={"authorization": "Bearer forged"}),
            await client.options("/me"),
            await client.delete("/me"),
        ]

    assert [each.status_code for each in answers] == [200, 404, 422, 400, 421, 401, 405, 405]
    for answer in answers:
        assert ALWAYS.items() <= dict(answer.headers).items()
        assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
        assert not [name for name in answer.headers if name.startswith("access-control")]
    for answer in answers[1:]:
        told = answer.json()
        assert answer.headers["content-type"] == "application/problem+json"
        assert told["type"] == f"urn:penwright:problem:{told['code']}"
        assert told["status"] == answer.status_code
        assert told["request_id"] == answer.headers["x-request-id"]


@pytest.mark.parametrize(
    ("given", "kept"), [("a-request-1", True), ("short", False), ("with space", False), ("x" * 65, False)]
)
async def test_a_request_id_is_taken_only_in_its_form(api: Api, given: str, kept: bool) -> None:
    async with api.client(api.token("read")) as client:
        answer = await client.get("/me", headers={"x-request-id": given})

    assert (answer.headers["x-request-id"] == given) == kept


async def test_a_body_is_counted_while_it_is_read(api: Api) -> None:
    async def endless() -> Any:
        for _ in range(BODY // 1000 + 2):
            yield b"x" * 1000

    async with api.client(api.token("admin"), **{"content-type": "application/json"}) as client:
        told = await client.post("/tokens", content=b"x" * (BODY + 1))
        streamed = await client.post("/tokens", content=endless())

    assert (told.status_code, streamed.status_code) == (413, 413)
    assert streamed.json()["code"] == "too-large"


async def test_strangers_are_slowed_down_and_callers_are_not(api: Api) -> None:
    async with api.client("forged") as client:
        answers = [await client.get("/me") for _ in range(31)]
    async with api.client(api.token("read")) as client:
        known = await client.get("/me")

    assert [each.status_code for each in answers[-2:]] == [401, 429]
    assert int(answers[-1].headers["retry-after"]) > 0
    assert known.status_code == 200


async def test_a_person_is_shown_how_to_sign_in_however_often_the_old_tabs_ask(api: Api) -> None:
    async with api.client("ended") as client:
        for _ in range(31):
            await client.get("/me")
        answer = await client.get(f"{ORIGIN}/ui/", headers={"accept": "text/html"})

    assert answer.status_code == 401
    assert "penwright web" in answer.text


async def test_a_store_that_does_not_answer_is_said_so(api: Api, services: StageServices) -> None:
    token = api.token("read")
    services.runs = False
    async with api.client(token) as client:
        answer = await client.get("/me")

    assert (answer.status_code, answer.json()["retryable"]) == (503, True)
    assert "retry-after" in answer.headers


async def test_a_browser_is_shown_a_page_while_the_store_does_not_answer(
    api: Api, services: StageServices
) -> None:
    token = api.token("read")
    services.runs = False
    async with api.client(token, accept="text/html") as client:
        page = await client.get(f"{ORIGIN}/ui/health")

    assert (page.status_code, page.headers["content-type"]) == (503, "text/html; charset=utf-8")
    assert "away for a moment" in page.text
    assert 'http-equiv="refresh"' in page.text


async def socket(api: Api, cookie: str = "", **headers: str) -> list[Message]:
    """What the server sends first to a WebSocket with these headers."""
    given = {"host": "127.0.0.1:7280", **headers} | ({"cookie": cookie} if cookie else {})
    scope = {
        "type": "websocket",
        "path": "/ui/_nicegui_ws/socket.io/",
        "query_string": b"",
        "headers": [(name.encode(), value.encode()) for name, value in given.items()],
    }
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "websocket.connect"}

    async def send(message: Message) -> None:
        sent.append(message)

    await api.guard(scope, receive, send)
    return sent


async def test_a_websocket_needs_our_origin_and_a_session(api: Api) -> None:
    async with api.browser() as client:
        cookie = f"{SITE.cookie}={client.cookies[SITE.cookie]}"
    refused = [
        await socket(api, origin=ORIGIN),
        await socket(api, cookie),
        await socket(api, cookie, origin="https://evil.example"),
        await socket(api, cookie, origin=ORIGIN, host="evil.example"),
        await socket(api, f"{SITE.cookie}=forged", origin=ORIGIN),
    ]
    # Nothing is mounted there yet: the application itself closes it, with another code.
    passed = await socket(api, cookie, origin=ORIGIN)

    assert [(each[0]["type"], each[0]["code"]) for each in refused] == [("websocket.close", 1008)] * 5
    assert passed[0].get("code") != 1008


async def test_polling_in_place_of_a_websocket_is_switched_off(api: Api) -> None:
    async with api.browser() as client:
        answer = await client.get(f"{ORIGIN}/ui/_nicegui_ws/socket.io/?transport=polling")

    assert answer.status_code == 404


Connection = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@pytest.fixture
async def served(api: Api) -> AsyncIterator[Connection]:
    """A connection without a client's own care, on which a request with a body of 1,000 bytes has begun."""
    listening = listen("127.0.0.1", 0)
    async with serving(api.guard, listening):
        reader, writer = await asyncio.open_connection(*listening.getsockname())
        head = (
            f"POST {PREFIX}/tokens HTTP/1.1\r\nhost: 127.0.0.1:7280\r\n"
            f"authorization: Bearer {api.token()}\r\ncontent-type: application/json\r\n"
            "idempotency-key: slow-1\r\ncontent-length: 1000\r\n\r\n"
        )
        writer.write(head.encode())
        yield reader, writer
        writer.close()


@pytest.mark.parametrize(
    ("silence", "slowest", "pauses", "within"), [(0.2, 0.1, (0.0,), 5.0), (2.0, 1000, (0.5, 0.5), 2.8)]
)
async def test_a_body_that_comes_too_slowly_is_given_up(
    served: Connection,
    monkeypatch: pytest.MonkeyPatch,
    silence: float,
    slowest: float,
    pauses: tuple[float, ...],
    within: float,
) -> None:
    """By the silence after a byte, or by the number of bytes; the other limit alone would take longer."""
    monkeypatch.setattr(limits, "SILENCE_S", silence)
    monkeypatch.setattr(limits, "SLOWEST", slowest)
    reader, writer = served

    async with asyncio.timeout(within):
        for pause in pauses:
            await asyncio.sleep(pause)
            writer.write(b" ")
        answered = await reader.read()

    head, _, body = answered.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 408 ")
    assert b"content-type: application/problem+json" in head
    assert b"connection: close" in head
    assert json.loads(body)["code"] == "too-slow"


async def test_a_body_on_a_slow_line_is_taken_whole(
    served: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It takes three times as long as any silence may."""
    monkeypatch.setattr(limits, "SILENCE_S", 0.3)
    reader, writer = served
    body = json.dumps({"name": "reader", "scopes": ["read"]}).encode().ljust(1000)
    for start in range(0, 1000, 100):
        writer.write(body[start : start + 100])
        await asyncio.sleep(0.09)

    answered = await reader.readuntil(b"\r\n")

    assert answered.startswith(b"HTTP/1.1 201 ")
