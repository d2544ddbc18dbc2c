"""The threats that the workspace stands against, each with the tests that show it.

The workspace listens on this machine, and every web page that a person opens can reach it all the same.
"""

import asyncio
import io
import zipfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.types import Message, Receive, Scope, Send

from gateway.desk.access import Access, Caller
from gateway.desk.principals import SCOPES, local_user
from gateway.http.app import http_app
from gateway.http.guard import Guard
from gateway.http.site import UI, Site, site_of
from gateway.web import refuse_open_door
from penwright.errors import Refused, UsageMistake
from tests.support.each import for_each
from tests.support.gateway.every_operation import OPERATIONS, a_stage
from tests.support.gateway.http import ORIGIN, SITE, Api, key
from tests.support.gateway.services import StageServices, git_in
from workers.settings import Settings, load

TESTS = Path(__file__).parents[2]
ROWS = {
    "no token on a route": "gateway/http/test_guard.py::test_no_route_answers_a_stranger",
    "DNS rebinding": "gateway/http/test_guard.py::test_a_name_that_is_not_ours_is_misdirected",
    "cross-site websocket": "gateway/http/test_guard.py::test_a_websocket_needs_our_origin_and_a_session",
    "websocket without login": "gateway/ui/test_sockets.py::test_a_client_id_is_worth_nothing",
    "websocket of another user": "browser/test_sockets.py::test_a_page_does_not_hear_the_socket",
    "websocket after log-out": "gateway/http/test_safety.py::test_signing_out_closes_the_sockets",
    "CSRF": "gateway/http/test_guard.py::test_another_site_changes_nothing",
    "CSRF by a form": "gateway/http/test_guard.py::test_a_form_of_another_site_is_no_json",
    "cookies across ports": "gateway/http/test_safety.py::test_a_cookie_of_another_instance_is_a_stranger",
    "stored credentials": "gateway/http/test_session.py::test_the_store_keeps_no_secret",
    "session fixation": "gateway/http/test_session.py::test_a_cookie_that_was_planted_is_never_adopted",
    "first login": "gateway/http/test_session.py::test_a_code_is_exchanged_for_a_session_once",
    "path traversal": "gateway/http/test_books.py::test_a_hostile_path_reads_and_writes_nothing",
    "XSS": "browser/test_hostile_texts.py::test_no_vector_runs_loads_or_shows_anything",
    "sanitiser": "gateway/ui/test_rules.py::test_no_module_calls_what_loses_words_or_runs_text",
    "values in attributes": "gateway/ui/test_rules.py::test_no_value_is_written_into_props",
    "clickjacking, CSP, other headers": "gateway/http/test_safety.py::test_every_status_has_the_headers",
    "forwarded headers": "gateway/http/test_safety.py::test_only_a_declared_proxy_says_where",
    "uploads": "gateway/http/test_safety.py::test_an_upload_that_unpacks_to_much_is_refused",
    "uploads of texts": "gateway/http/test_new_works.py::test_a_file_that_cannot_be_read_leaves_nothing",
    "secrets": "gateway/http/test_safety.py::test_no_answer_tells_a_secret",
    "denial: strangers": "gateway/http/test_guard.py::test_strangers_are_slowed_down",
    "denial: pages": "gateway/ui/test_sockets.py::test_strangers_leave_no_pages_behind",
    "denial: streams": "gateway/http/test_events.py::test_a_credential_has_so_many_streams",
    "remote use": "gateway/http/test_safety.py::test_nothing_is_served_beyond_this_machine_without",
    "remote use over TLS": "gateway/http/test_tls.py::test_a_browser_signs_in_over_tls",
    "cards on a page": "browser/test_shared.py::test_a_card_is_taken_in_and_its_text_is_text",
    "authorisation": "gateway/http/test_rights.py::test_an_operation_is_refused_without_its_scope",
    "authorisation: subjects": "gateway/http/test_rights.py::test_a_caller_for_other_subjects",
    "authorisation: forged events": "gateway/ui/test_books.py::test_a_hidden_right_is_checked",
}
"""Threat -> the file and the beginning of the name of a test."""
CANARY = "canary-7f3a91c0"
PROTECTING = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
BINARY = {"content-type": "application/octet-stream"}


@for_each("threat", ROWS)
def test_each_threat_has_its_test(threat: str) -> None:
    file, _, name = ROWS[threat].partition("::")

    assert f"def {name}" in (TESTS / file).read_text("utf-8")


class Socket:
    """A WebSocket that is open at a guard, with an application that waits for messages."""

    def __init__(self, api: Api, cookie: str) -> None:
        self.sent: list[Message] = []
        self.heard: list[Message] = []
        self.open = asyncio.Event()
        self._coming: asyncio.Queue[Message] = asyncio.Queue()
        self._cookie = cookie
        self._guard = Guard(self._application, api.access, SITE)

    async def _application(self, scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "websocket.accept"})
        while not self.heard or self.heard[-1]["type"] != "websocket.disconnect":
            self.heard.append(await receive())
            self.open.set()

    async def run(self) -> None:
        """Serve it until it is closed."""
        headers = {"host": SITE_HOST, "origin": ORIGIN, "cookie": f"{SITE.cookie}={self._cookie}"}
        scope = {
            "type": "websocket",
            "path": f"{UI}/_nicegui_ws/socket.io/",
            "query_string": b"",
            "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
        }
        await self._guard(scope, self._coming.get, self._send)

    def hear(self, text: str) -> None:
        """A message of the browser."""
        self._coming.put_nowait({"type": "websocket.receive", "text": text})

    async def _send(self, message: Message) -> None:
        self.sent.append(message)


SITE_HOST = ORIGIN.partition("//")[2]


async def closing(api: Api, end: Callable[[httpx.AsyncClient], Awaitable[Any]]) -> Socket:
    """A socket of a browser that ends its session by ``end``; returns once it is closed."""
    async with api.browser() as client:
        socket = Socket(api, client.cookies[SITE.cookie])
        running = asyncio.create_task(socket.run())
        socket.hear("before")
        async with asyncio.timeout(20):
            await socket.open.wait()
            await end(client)
            await running
    return socket


async def test_signing_out_closes_the_sockets_of_the_session(api: Api) -> None:
    other = await _other_socket(api)
    socket = await closing(api, lambda client: client.delete("/session"))

    assert [each["type"] for each in socket.heard] == ["websocket.receive", "websocket.disconnect"]
    assert socket.sent[-1] == {"type": "websocket.close", "code": 1008, "reason": "signed out"}
    assert not other.done()
    other.cancel()


async def _other_socket(api: Api) -> "asyncio.Task[None]":
    async with api.browser() as client:
        running = asyncio.create_task(Socket(api, client.cookies[SITE.cookie]).run())
    await asyncio.sleep(0)
    return running


async def test_a_session_that_ends_in_another_process_loses_its_sockets(
    api: Api, services: StageServices
) -> None:
    elsewhere = Access(services)

    async def end(client: httpx.AsyncClient) -> None:
        known: Caller | None = elsewhere.of_session(client.cookies[SITE.cookie])
        assert known is not None
        elsewhere.sign_out(known.credential)

    async with asyncio.timeout(5):
        socket = await closing(api, end)

    assert socket.sent[-1]["code"] == 1008


def site_in(home: Path, **web: Any) -> Site:
    """The site of an installation; Any: settings of several types."""
    return site_of(Settings(home=home, web=web), 7280)


async def test_a_cookie_of_another_instance_is_a_stranger(
    api: Api, services: StageServices, tmp_path: Path
) -> None:
    one, other = site_in(tmp_path / "one"), site_in(tmp_path / "other")
    guards = [Guard(http_app(services, api.access, site), api.access, site) for site in (one, other)]
    clients = [httpx.AsyncClient(transport=httpx.ASGITransport(guard), base_url=ORIGIN) for guard in guards]
    code = {"code": api.access.new_code()}
    signed = await clients[0].post("/api/v1/session", json=code, headers={"origin": ORIGIN})
    clients[1].cookies = clients[0].cookies
    answers = [await client.get("/api/v1/me") for client in clients]

    assert one.cookie != other.cookie
    assert signed.status_code == 201
    assert [each.status_code for each in answers] == [200, 401]


async def test_under_tls_a_cookie_goes_to_this_host_alone(
    api: Api, services: StageServices, tmp_path: Path
) -> None:
    site = site_in(tmp_path, behind_proxy=True, names=["books.example.org"])
    guard = Guard(http_app(services, api.access, site), api.access, site)
    place = "https://books.example.org"
    async with httpx.AsyncClient(transport=httpx.ASGITransport(guard), base_url=place) as client:
        code = {"code": api.access.new_code()}
        signed = await client.post("/api/v1/session", json=code, headers={"origin": place})

    cookie = signed.headers["set-cookie"]
    assert cookie.startswith("__Host-penwright_")
    assert {"Secure", "HttpOnly", "Path=/", "SameSite=strict"} <= set(cookie.split("; "))
    assert "Domain" not in cookie


async def test_only_a_declared_proxy_says_where_a_request_comes_from(api: Api, tmp_path: Path) -> None:
    seen: list[list[str]] = []

    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        seen.append([name.decode() for name, _ in scope["headers"]])
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    forged = {"x-forwarded-prefix": "/evil", "x-forwarded-for": "9.9.9.9", "forwarded": "for=9.9.9.9"}
    token = {"authorization": f"Bearer {api.token()}"}
    for proxy in (False, True):
        guard = Guard(application, api.access, site_in(tmp_path, behind_proxy=proxy))
        async with httpx.AsyncClient(transport=httpx.ASGITransport(guard), base_url=ORIGIN) as client:
            await client.get("/api/v1/me", headers={**forged, **token})

    assert not set(forged) & set(seen[0])
    assert set(forged) <= set(seen[1])


async def test_every_status_has_the_headers_that_protect_it(
    api: Api, services: StageServices, book: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    book_id = services.book(book).book_id
    text = f"/books/{book_id}/text/Chapters material/Chapter_01.md"
    token = api.token()
    async with api.client(token) as client:
        read = await client.get(text)
        reused, order = key(), {"name": "Fen"}
        made = await client.post("/worlds", json=order, headers=reused)
        revoked = (await client.post("/tokens", json={"name": "x", "scopes": ["read"]})).json()["id"]
        answers = [
            read,
            made,
            await client.delete(f"/tokens/{revoked}"),
            await client.get(text, headers={"if-none-match": read.headers["etag"]}),
            await client.post("/worlds", json=order),
            await client.get("/me", headers={"authorization": "Bearer forged"}),
            await client.get(
                "/me", headers={"sec-fetch-site": "cross-site", "origin": "https://evil.example"}
            ),
            await client.get("/nothing"),
            await client.put("/me"),
            await client.delete(f"/books/{book_id}/schedule"),
            await client.patch("/worlds/fen", json={"values": {"plot": "x"}}, headers={"if-match": '"v9"'}),
            await client.post("/tokens", content=b"x" * 1_000_001),
            await client.post("/tokens", content=b"x", headers={"content-type": "text/plain"}),
            await client.get("/me", headers={"host": "evil.example"}),
            await client.post("/worlds", json={"name": "Other"}, headers=reused),
            await client.patch("/worlds/fen", json={"values": {"plot": "x"}}),
        ]
        monkeypatch.setattr(services.store.records, "books", _broken)
        answers.append(await client.get("/books"))
        services.runs = False
        answers.append(await client.get("/me"))
    async with api.client("forged") as stranger:
        services.runs = True
        answers += [await stranger.get("/me") for _ in range(31)][-1:]

    known = [200, 201, 204, 304, 400, 401, 403, 404, 405, 409, 412, 413, 415, 421, 422, 428, 500, 503, 429]
    assert [each.status_code for each in answers] == known
    for answer in answers:
        assert PROTECTING.items() <= dict(answer.headers).items(), answer
        assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
        assert not [name for name in answer.headers if name.startswith("access-control")]


def _broken(*_: object) -> None:
    raise RuntimeError("a fault of ours")


def bomb() -> bytes:
    """A card of some 100 KB that unpacks to 100 MB."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("card.json", b" " * 100_000_000)
    return packed.getvalue()


@pytest.mark.parametrize(
    ("name", "content"), [("a.charx", bomb()), ("a.png", b"\x89PNG\r\n\x1a\n" + b"\xff" * 99)]
)
async def test_an_upload_that_unpacks_to_much_is_refused(
    client: httpx.AsyncClient, name: str, content: bytes
) -> None:
    send = {"params": {"file_name": name}, "content": content}
    answer = await client.post("/characters/import", headers={**key(), **BINARY}, **send)  # type: ignore[arg-type]

    assert (answer.status_code, len(answer.text) < 2_000) == (400, True), answer.text
    assert (await client.get("/characters")).json()["items"] == []


async def test_no_answer_tells_a_secret(founded: Path, tmp_path: Path) -> None:
    services = StageServices()
    services.settings |= {
        "PENWRIGHT_DATABASE_URL": f"postgresql://ann:{CANARY}@db/x",
        "PENWRIGHT_ENCRYPTION_KEY": f"{CANARY}-key",
        "PENWRIGHT_NOTIFY__WEBHOOK_SECRET": CANARY,
        "PENWRIGHT_NOTIFY__WEBHOOK_URL": f"https://hook.example/{CANARY}",
        "PENWRIGHT_MODELS__OPUS": '{"model": "vendor/opus", "key_env": "MY_API_KEY", '
        f'"api_base": "https://u:{CANARY}@models.example"}}',
        "MY_API_KEY": CANARY,
    }
    services.environment = {**services.environment, "MY_API_KEY": CANARY, "GIT_TOKEN": CANARY}
    stage = a_stage(founded, tmp_path, services)
    remote = ("remote", "add", "origin", f"https://ada:{CANARY}@127.0.0.1:9/tide.git")
    git_in(tmp_path / "tide", *remote)
    asked = [each for each in OPERATIONS if each.method == "GET" and not each.name.startswith("follow_")]

    answers = {each.name: await stage.ask(each, *SCOPES) for each in asked}

    assert len(answers) > 70
    assert [name for name, each in answers.items() if CANARY in each.text + str(each.headers)] == []
    assert {each.status_code for each in answers.values()} & {200}


@pytest.mark.parametrize(
    "variables",
    [
        {"PENWRIGHT_WEB__HOST": "0.0.0.0"},
        {"PENWRIGHT_WEB__HOST": "192.0.2.7", "PENWRIGHT_WEB__TLS_CERTIFICATE": "/a.pem"},
        {"PENWRIGHT_WEB__HOST": "::"},
    ],
)
def test_nothing_is_served_beyond_this_machine_without_encryption(variables: dict[str, str]) -> None:
    with pytest.raises(UsageMistake, match="web"):
        load({**variables, "PENWRIGHT_CONFIG": ""})


@pytest.mark.parametrize(
    "web",
    [{"behind_proxy": True}, {"tls_certificate": Path("/cert.pem"), "tls_key": Path("/key.pem")}],
)
def test_nothing_is_served_beyond_this_machine_without_a_token(
    services: StageServices, tmp_path: Path, web: dict[str, Any]
) -> None:
    access = Access(services)
    settings = Settings(home=tmp_path, web={"host": "0.0.0.0", **web})
    with pytest.raises(Refused, match="penwright web tokens create"):
        refuse_open_door(access, services, settings)

    refuse_open_door(access, services, Settings(home=tmp_path))
    access.create_token(local_user("ada"), "reader", ("read",))
    refuse_open_door(access, services, settings)
