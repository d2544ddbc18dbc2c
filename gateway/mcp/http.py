"""The book tools over HTTP, on this machine only."""

import json
import socket
import sys
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

import uvicorn

from gateway.mcp.keyed_locks import Turns
from gateway.mcp.server import SESSION_HEADER, BookServer
from penwright.errors import UsageMistake

HOST = "127.0.0.1"
PATH = "/mcp"
LARGEST_BODY = 16 * 1024 * 1024
"""Bytes; a call above it is refused by the transport (413), one below it by the tool, with a word on why."""

# Any: ASGI's own values.
Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]


async def serve_http(server: BookServer, port: int) -> None:
    """Serve until the process is told to end; ``port`` 0 takes a free one."""
    with listening_at(port) as listening:
        sys.stderr.write(f"serving the book tools on {address_of(listening)}\n")
        sys.stderr.flush()
        await web_server(server).serve(sockets=[listening])


def web_server(server: BookServer) -> uvicorn.Server:
    """What answers the requests."""
    app = server.protocol.streamable_http_app(
        streamable_http_path=PATH, host=HOST, max_request_body_size=LARGEST_BODY
    )
    return uvicorn.Server(
        uvicorn.Config(_InTurn(app), log_config=None, access_log=False, timeout_graceful_shutdown=5)
    )


def address_of(listening: socket.socket) -> str:
    """Where clients find it."""
    return f"http://{HOST}:{listening.getsockname()[1]}{PATH}"


def listening_at(port: int) -> socket.socket:
    """A socket that takes connections from now on; ``UsageMistake`` ``port-taken`` if there is none."""
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((HOST, port))
        listening.listen(128)
    except OSError as error:
        listening.close()
        raise UsageMistake(
            "port-taken",
            f"port {port} of {HOST} cannot be had: {error.strerror}",
            hint="give another port, or 0 for any free one",
        ) from error
    return listening


class _InTurn:
    """Requests of one session that share an id wait for each other.

    The SDK keeps one stream for each id of a session: a twin would take the stream of the first, which then
    waited for ever.
    """

    def __init__(self, app: App) -> None:
        self._app = app
        self._turns = Turns()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        session = _session(scope)
        if not session:
            await self._app(scope, receive, send)
            return
        body, ended = await _body(receive)

        async def replayed() -> Message:
            if body:
                return body.pop(0)
            return {"type": "http.disconnect"} if ended else await receive()

        async with self._turns.of(f"{session} {_id_in(body)}"):
            await self._app(scope, replayed, send)


def _session(scope: Scope) -> str:
    if scope["type"] != "http" or scope["method"] != "POST":
        return ""
    found = (value for name, value in scope["headers"] if name == SESSION_HEADER.encode())
    return next(found, b"").decode("latin-1")


async def _body(receive: Receive) -> tuple[list[Message], bool]:
    """The messages of a request's body, and whether its sender has gone."""
    got: list[Message] = []
    size, more = 0, True
    while more and size <= LARGEST_BODY:
        message = await receive()
        if message["type"] != "http.request":
            return got, True
        got.append(message)
        size += len(message.get("body", b""))
        more = message.get("more_body", False)
    return got, False


def _id_in(body: list[Message]) -> str:
    try:
        asked = json.loads(b"".join(part.get("body", b"") for part in body))
    except (ValueError, RecursionError):
        return ""
    return repr(asked.get("id")) if isinstance(asked, dict) else ""
