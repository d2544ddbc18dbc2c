"""The tools over HTTP, on this machine only, for those who know the token."""

import secrets
import socket
import sys
from collections.abc import Mapping
from contextlib import nullcontext
from typing import Any

import mcp_types as types
import uvicorn
from starlette.datastructures import Headers
from starlette.responses import JSONResponse, PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gateway.mcp.ids import NO_REQUEST, has_unusable_id, parsed
from gateway.mcp.keyed_locks import KeyedLocks
from gateway.mcp.server import SESSION_HEADER, ToolServer
from penwright.errors import UsageMistake
from workers.http_guard import HostGuard, loopback_hosts
from workers.http_server import configuration, listen

_TOKEN_VARIABLE = "PENWRIGHT_MCP_TOKEN"
_SHORTEST_TOKEN = 16
"""Characters of a token that an operator sets."""
HOST = "127.0.0.1"
PATH = "/mcp"
LARGEST_BODY = 16 * 1024 * 1024
"""Bytes; a call above it is refused by the transport (413), one below it by the tool, with a word on why."""


async def serve_http(server: ToolServer, port: int, token: str = "") -> None:
    """Serve until the process gets a signal to end; ``port`` 0 takes a free one.

    Without a ``token`` a new one is made and printed.
    """
    with listening_at(port) as listening:
        sys.stderr.write(f"serving the tools on {address_of(listening)}\n")
        if not token:
            token = new_token()
            sys.stderr.write(f"clients send the header: Authorization: Bearer {token}\n")
        sys.stderr.flush()
        await web_server(server, listening, token).serve(sockets=[listening])


def web_server(server: ToolServer, listening: socket.socket, token: str) -> uvicorn.Server:
    """Make the server for the requests of those who know ``token``."""
    app = server.protocol.streamable_http_app(
        streamable_http_path=PATH, host=HOST, max_request_body_size=LARGEST_BODY
    )
    hosts = loopback_hosts(listening.getsockname()[1])
    guarded = HostGuard(BearerGuard(_InTurn(app), token), hosts)
    return uvicorn.Server(configuration(guarded, drain_s=5, lifespan=True))


def address_of(listening: socket.socket) -> str:
    """Address for clients."""
    return f"http://{HOST}:{listening.getsockname()[1]}{PATH}"


def listening_at(port: int) -> socket.socket:
    """A socket that takes connections from now on; ``UsageMistake`` ``port-taken`` if there is none."""
    try:
        return listen(HOST, port)
    except OSError as error:
        raise UsageMistake(
            "port-taken",
            f"port {port} of {HOST} cannot be had: {error.strerror}",
            hint="give another port, or 0 for any free one",
        ) from error


class _InTurn:
    """Requests of one session that share an id wait for each other; what has no usable id is refused.

    The SDK keeps one stream for each id of a session: a twin would take the stream of the first, which then
    waited for ever.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._locks = KeyedLocks()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "POST":
            await self._app(scope, receive, send)
            return
        body, ended = await _body(receive)
        asked = parsed(b"".join(part.get("body", b"") for part in body))
        if has_unusable_id(asked):
            await _NO_ID(scope, receive, send)
            return

        async def replayed() -> Message:
            if body:
                return body.pop(0)
            return {"type": "http.disconnect"} if ended else await receive()

        session = _session(scope)
        async with self._locks.hold(f"{session} {_id_in(asked)}") if session else nullcontext():
            await self._app(scope, replayed, send)


_NO_ID = JSONResponse(
    {"jsonrpc": "2.0", "id": None, "error": {"code": types.INVALID_REQUEST, "message": NO_REQUEST}}, 400
)


def _session(scope: Scope) -> str:
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


# Any: what a client sent.
def _id_in(asked: Any) -> str:
    return repr(asked.get("id")) if isinstance(asked, dict) else ""


def token_of(environ: Mapping[str, str]) -> str:
    """The token that the environment sets; empty without one.

    Raises:
        UsageMistake: ``mcp-token-weak``; it is too short, or no header can carry it.
    """
    token = environ.get(_TOKEN_VARIABLE, "")
    if token and (
        len(token) < _SHORTEST_TOKEN or not token.isascii() or not token.isprintable() or " " in token
    ):
        raise UsageMistake(
            "mcp-token-weak",
            f"{_TOKEN_VARIABLE} must have at least {_SHORTEST_TOKEN} printable ASCII characters and no space",
            hint="make one with: head -c 32 /dev/urandom | base64",
        )
    return token


def new_token() -> str:
    """A token that cannot be guessed."""
    return secrets.token_urlsafe(32)


class BearerGuard:
    """Answers only requests whose header ``Authorization`` has the token; 401 otherwise."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._expected = f"Bearer {token}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and not self._allowed(Headers(scope=scope)):
            refused = PlainTextResponse(
                "this server wants its token: Authorization: Bearer TOKEN\n",
                status_code=401,
                headers={"www-authenticate": "Bearer"},
            )
            await refused(scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _allowed(self, headers: Headers) -> bool:
        given = headers.get("authorization", "").encode("latin-1")
        return secrets.compare_digest(given, self._expected)
