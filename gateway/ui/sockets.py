"""Sockets of pages: a client's id, which is its page's only secret, is worth nothing to another principal."""

from collections.abc import Awaitable, Callable
from inspect import isawaitable
from typing import Any, Final
from urllib.parse import parse_qs

from nicegui import Client, core

from gateway.desk.principals import Principal

_MESSAGES: Final = ("handshake", "event", "javascript_response", "ack", "log")
"""Messages of browsers about a client, named by ``client_id``."""

_OF_NO_PAGE: Final = "client_id=none&implicit_handshake=true"
"""Asked for so, NiceGUI refuses the socket in the words at which its script loads the page anew."""

Handler = Callable[..., Any]
"""Any, here and below: NiceGUI's own handlers take and return what they like."""


def bind_sockets() -> None:
    """Let NiceGUI hear of a client only from sockets of the principal for whom its page was built.

    NiceGUI itself takes messages about any client from any socket. Call it once, after ``run_with``.
    """
    handlers = core.sio.handlers["/"]
    for name in _MESSAGES:
        handlers[name] = checked(handlers[name], _of_socket)
    connected = handlers["connect"]

    async def connect(sid: str, environ: dict[str, Any], *rest: Any) -> Any:
        # The address of the upgrade may name a client at once, in place of a handshake.
        asked = parse_qs(environ.get("QUERY_STRING", "")).get("client_id", [])
        if asked and not _may(_of(environ), {"client_id": asked[0]}):
            environ = environ | {"QUERY_STRING": _OF_NO_PAGE}  # it belongs to another user, or to none
        return await connected(sid, environ, *rest)

    handlers["connect"] = connect


def checked(handler: Handler, asking: Callable[[str], Principal | None]) -> Handler:
    """``handler`` for messages about clients of ``asking(sid)`` alone; a handshake of others fails."""

    async def permitted(sid: str, message: Any = None, *rest: Any) -> Any:
        if not _may(asking(sid), message):
            return False
        answer: Awaitable[Any] | Any = handler(sid, message, *rest)
        return await answer if isawaitable(answer) else answer

    return permitted


def _may(asking: Principal | None, message: Any) -> bool:
    client_id = message.get("client_id") if isinstance(message, dict) else None
    client = Client.instances.get(client_id) if isinstance(client_id, str) else None
    if client is None or asking is None or client.request is None:
        return False
    return bool(client.request.scope.get("state", {}).get("principal") == asking)


def _of_socket(sid: str) -> Principal | None:
    """Whom the guard let in at the upgrade of the socket."""
    return _of(core.sio.get_environ(sid) or {})


def _of(environ: dict[str, Any]) -> Principal | None:
    state = environ.get("asgi.scope", {}).get("state", {})
    found: Principal | None = state.get("principal")
    return found
