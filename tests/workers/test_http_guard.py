"""Who gets an answer from our HTTP servers: only requests that name this machine and come from its pages."""

import httpx
import pytest
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.types import Message

from workers.http_guard import POLICY_VIOLATION, HostGuard, loopback_hosts, refusal

HOSTS = loopback_hosts(8080)


@pytest.fixture
def guarded() -> HostGuard:
    async def answer(request: object) -> PlainTextResponse:
        return PlainTextResponse("inside")

    return HostGuard(Starlette(routes=[Route("/", answer, methods=["GET", "POST"])]), HOSTS)


async def _status(guarded: HostGuard, **headers: str) -> int:
    transport = httpx.ASGITransport(app=guarded)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8080") as client:
        return (await client.post("/", headers=headers)).status_code


@pytest.mark.parametrize("host", ["127.0.0.1:8080", "localhost:8080", "LOCALHOST:8080", "[::1]:8080"])
async def test_a_request_that_names_this_machine_is_answered(guarded: HostGuard, host: str) -> None:
    assert await _status(guarded, host=host) == 200
    assert await _status(guarded, host=host, origin=f"http://{host}") == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8080", "127.0.0.1", "127.0.0.1:81", "localhost:8080.evil.example"]
)
async def test_a_foreign_host_is_misdirected(guarded: HostGuard, host: str) -> None:
    assert await _status(guarded, host=host) == 421


@pytest.mark.parametrize(
    "origin",
    [
        *("https://evil.example", "null", "", "http://localhost:81", "http://localhost:8080.evil.example"),
        *("https://localhost:8080", "ftp://localhost:8080", "localhost:8080", "://localhost:8080"),
    ],
)
async def test_a_page_of_another_site_is_refused(guarded: HostGuard, origin: str) -> None:
    assert await _status(guarded, origin=origin) == 403


def test_a_request_without_a_host_is_misdirected() -> None:
    refused = refusal(Headers({}), HOSTS, websocket=False)

    assert refused is not None
    assert refused.status == 421


async def _closed_with(guarded: HostGuard, headers: dict[str, str]) -> int | None:
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    async def receive() -> Message:
        return {"type": "websocket.connect"}

    raw = [(name.encode(), value.encode()) for name, value in headers.items()]
    await guarded({"type": "websocket", "path": "/", "headers": raw}, receive, send)
    return next((each["code"] for each in sent if each["type"] == "websocket.close"), None)


@pytest.mark.parametrize("origin", [None, "https://evil.example"])
async def test_a_websocket_needs_an_origin_of_ours(guarded: HostGuard, origin: str | None) -> None:
    headers = {"host": "127.0.0.1:8080"} | ({"origin": origin} if origin is not None else {})

    assert await _closed_with(guarded, headers) == POLICY_VIOLATION


def test_a_websocket_of_our_own_page_passes() -> None:
    ours = Headers({"host": "127.0.0.1:8080", "origin": "http://127.0.0.1:8080"})

    assert refusal(ours, HOSTS, websocket=True) is None
