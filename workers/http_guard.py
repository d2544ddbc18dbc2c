"""Host and Origin checks in front of our HTTP servers: against DNS rebinding and pages of other sites."""

from collections.abc import Collection
from dataclasses import dataclass

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

MISDIRECTED = 421
FORBIDDEN = 403
POLICY_VIOLATION = 1008
"""WebSocket close code for a connection that breaks a rule (RFC 6455, 7.4.1)."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Reason why a request goes no further."""

    status: int
    reason: str


def loopback_hosts(port: int) -> frozenset[str]:
    """The values of ``Host`` by which a browser on this machine reaches ``port``."""
    return frozenset(f"{name}:{port}" for name in ("127.0.0.1", "localhost", "[::1]"))


def refusal(
    headers: Headers, hosts: Collection[str], *, websocket: bool, schemes: Collection[str] = ("http",)
) -> Refusal | None:
    """Check the address and the origin of a request; None if nothing is wrong with them.

    ``schemes`` are those of our own pages. A WebSocket needs an origin: browsers always send one, and no
    cross-site rule of theirs holds for it.
    """
    if (host := headers.get("host", "").lower()) not in hosts:
        return Refusal(MISDIRECTED, f"this server is not {host or 'without a name'}")
    origin = headers.get("origin")
    if origin is None and not websocket:
        return None
    scheme, _, place = (origin or "").lower().partition("://")
    if scheme not in schemes or place not in hosts:
        return Refusal(FORBIDDEN, f"requests from {origin or 'no origin'} are not answered")
    return None


class HostGuard:
    """Answers only requests that name this server, and that come from its own pages or from no page."""

    def __init__(self, app: ASGIApp, hosts: Collection[str]) -> None:
        self._app = app
        self._hosts = frozenset(host.lower() for host in hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            return await self._app(scope, receive, send)
        websocket = scope["type"] == "websocket"
        refused = refusal(Headers(scope=scope), self._hosts, websocket=websocket)
        if refused is None:
            await self._app(scope, receive, send)
        elif websocket:
            await send({"type": "websocket.close", "code": POLICY_VIOLATION, "reason": refused.reason})
        else:
            await _answer(send, refused)
        return None


async def _answer(send: Send, refused: Refusal) -> None:
    body = (refused.reason + "\n").encode()
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": refused.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
