"""The guard in front of the Temporal UI: who gets through, and what goes on to the UI's own server."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import httpx
import pytest
from starlette.types import Message

from gateway.desk.access import Access
from gateway.http.temporal_ui import LARGEST_BODY, LARGEST_SIGN_IN, temporal_ui
from tests.support.gateway.services import StageServices
from workers.http_guard import loopback_hosts

PORT = 8233
ORIGIN = f"http://127.0.0.1:{PORT}"
HOSTS = loopback_hosts(PORT)
TERMINATE = "/api/v1/namespaces/default/workflows/book%2F7/terminate?execution.runId=1"


@dataclass
class Board:
    """A server such as the UI's own: it answers every caller."""

    url: str = ""
    asked: list[tuple[str, str, dict[str, str], bytes]] = field(default_factory=list)


@pytest.fixture
def board() -> Iterator[Board]:
    with _serving() as board:
        yield board


@contextmanager
def _serving() -> Iterator[Board]:
    board = Board()

    class Answers(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            headers = {name.lower(): value for name, value in self.headers.items()}
            board.asked.append((self.command, self.path, headers, body))
            self.send_response(200)
            self.send_header("set-cookie", "_csrf=abc; Path=/")
            self.send_header("access-control-allow-origin", "*")
            self.send_header("content-length", "4")
            self.end_headers()
            self.wfile.write(b"runs")

        do_POST = do_GET

        def log_message(self, *args: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    board.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield board
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@asynccontextmanager
async def browser(
    board: Board, access: Access | None = None, **headers: str
) -> AsyncIterator[httpx.AsyncClient]:
    app = temporal_ui(lambda: board.url or None, HOSTS, access, "ui")
    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(transport=transport, base_url=ORIGIN, headers=headers) as client:
        yield client


async def test_a_request_of_its_own_page_reaches_the_board_with_its_path_and_token(board: Board) -> None:
    async with browser(board, origin=ORIGIN, cookie="_csrf=abc; penwright_1=secret") as client:
        answer = await client.post(TERMINATE, content=b"{}", headers={"x-csrf-token": "abc"})

    (asked,) = board.asked
    assert (answer.status_code, answer.text) == (200, "runs")
    assert asked[:2] == ("POST", TERMINATE)
    assert asked[3] == b"{}"
    assert asked[2]["x-csrf-token"] == "abc"
    assert asked[2]["cookie"] == "_csrf=abc", "the workspace's session is none of its business"
    assert "origin" not in asked[2]


async def test_its_answers_let_no_other_site_in(board: Board) -> None:
    async with browser(board) as client:
        answer = await client.get("/")

    assert answer.headers["set-cookie"] == "_csrf=abc; Path=/"
    assert "access-control-allow-origin" not in answer.headers
    assert answer.headers["x-frame-options"] == "DENY"


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"host": "evil.example"}, 421),
        ({"host": f"evil.example:{PORT}"}, 421),
        ({"origin": "https://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"content-length": str(LARGEST_BODY + 1)}, 413),
    ],
)
async def test_what_another_site_sends_never_reaches_the_board(
    board: Board, headers: dict[str, str], status: int
) -> None:
    async with browser(board, cookie="_csrf=abc") as client:
        answer = await client.post(TERMINATE, headers={"x-csrf-token": "abc", **headers})

    assert answer.status_code == status
    assert board.asked == []


@pytest.mark.parametrize(
    "target", [b"http://evil.example/", b"@evil.example/", b"*", b"/runs#part", b"/a b", b"/caf\xc3\xa9"]
)
async def test_what_is_no_path_of_the_board_never_reaches_it(board: Board, target: bytes) -> None:
    scope = {
        **{"type": "http", "method": "GET", "path": "/", "raw_path": target, "query_string": b""},
        "headers": [(b"host", f"127.0.0.1:{PORT}".encode())],
    }
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request"}

    async def send(message: Message) -> None:
        sent.append(message)

    await temporal_ui(lambda: board.url, HOSTS, None, "ui")(scope, receive, send)

    assert sent[0]["status"] == 400
    assert board.asked == []


async def test_a_stranger_signs_in_with_few_bytes(board: Board, services: StageServices) -> None:
    async with browser(board, Access(services), origin=ORIGIN) as client:
        long = await client.post("/api/v1/session", json={"code": "x" * LARGEST_SIGN_IN})
        endless = await client.post("/api/v1/session", content=_pieces())

    assert (long.status_code, endless.status_code) == (413, 413)


async def _pieces() -> AsyncIterator[bytes]:
    yield b"{}"


async def test_a_store_that_does_not_answer_is_told(board: Board, services: StageServices) -> None:
    access = Access(services)
    async with browser(board, access, origin=ORIGIN) as client:
        await client.post("/api/v1/session", json={"code": access.new_code()})
        services.runs = False
        answer = await client.get("/")

    assert answer.status_code == 503
    assert board.asked == []


async def test_on_a_shared_machine_only_one_who_signed_in_is_answered(
    board: Board, services: StageServices
) -> None:
    access = Access(services)
    async with browser(board, access, origin=ORIGIN) as client:
        stranger = await client.get("/")
        page = await client.get("/login")
        wrong = await client.post("/api/v1/session", json={"code": "guessed"})
        code = access.new_code()
        signed = await client.post("/api/v1/session", json={"code": code})
        inside = await client.get("/")
        again = await client.post("/api/v1/session", json={"code": code})

    assert (stranger.status_code, page.status_code) == (401, 200)
    assert "penwright web --temporal" in stranger.text
    assert (wrong.status_code, again.status_code) == (403, 403)
    assert signed.status_code == 201
    assert "httponly" in signed.headers["set-cookie"].lower()
    assert inside.text == "runs"
    assert len(board.asked) == 1


async def test_a_board_that_does_not_run_is_said_to_be_away() -> None:
    async with browser(Board()) as client:
        answer = await client.get("/")

    assert answer.status_code == 502
    assert "not running" in answer.text


async def test_a_board_that_ended_is_said_to_be_away() -> None:
    with _serving() as board:
        pass

    async with browser(board) as client:
        assert (await client.get("/")).status_code == 502
