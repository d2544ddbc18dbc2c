"""The health endpoint: ``/healthz`` and ``/readyz``, answered on the event loop whose state they report."""

import json
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from http import HTTPStatus

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from penwright.errors import PermanentError
from workers.health.answers import HEALTHZ, READYZ, Answer, url
from workers.health.process_health import ProcessHealth
from workers.http_server import listen, serving

LARGEST_HEAD = 8_192
"""Bytes of the headers of a request."""

_ERRORS = {
    HTTPStatus.NOT_FOUND: f"there are {HEALTHZ} and {READYZ}",
    HTTPStatus.METHOD_NOT_ALLOWED: "health is only read; use GET",
    HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE: "the request is too long",
}


def health_app(alive: Callable[[], Answer], ready: Callable[[], Awaitable[Answer]]) -> ASGIApp:
    """The application that answers with what ``alive`` and ``ready`` return."""

    async def healthz(request: Request) -> Response:
        return _page(alive())

    async def readyz(request: Request) -> Response:
        return _page(await ready())

    async def error(request: Request, found: Exception) -> Response:
        return _error(HTTPStatus(getattr(found, "status_code", 500)))

    routes = [Route(HEALTHZ, healthz), Route(READYZ, readyz)]
    app = Starlette(routes=routes, exception_handlers={404: error, 405: error})
    app.router.redirect_slashes = False
    return _bounded(app)


@asynccontextmanager
async def health_endpoint(health: ProcessHealth, host: str, port: int | None) -> AsyncIterator[str]:
    """Answer for ``health`` while the block runs; yields the address.

    Raises:
        PermanentError: ``port-taken``.
    """
    advice = "choose another address or port under [health]"
    listening = health_socket(f"the health endpoint of the {health.process} process", host, port, advice)
    address = url(host, listening.getsockname()[1])
    async with serving(health_app(health.alive, health.ready), listening):
        yield address


def health_socket(endpoint: str, host: str, port: int | None, advice: str) -> socket.socket:
    """A listening socket for ``endpoint``; without ``port`` a free one is taken.

    Raises:
        PermanentError: ``port-taken``.
    """
    try:
        return listen(host, port or 0)
    except OSError as error:
        said = f"{endpoint} cannot listen on {host}:{port or 0}: {error.strerror}; {advice}"
        raise PermanentError("port-taken", said) from error


def _page(answer: Answer) -> Response:
    return Response(
        json.dumps(answer.body) + "\n",
        answer.status,
        {"cache-control": "no-store", "connection": "close"},
        "application/json",
    )


def _error(status: HTTPStatus) -> Response:
    return _page(Answer(status, {"error": _ERRORS.get(status, status.phrase)}))


def _bounded(app: ASGIApp) -> ASGIApp:
    """``app``, which sees no request with more than ``LARGEST_HEAD`` bytes of headers."""

    async def bounded(scope: Scope, receive: Receive, send: Send) -> None:
        size = sum(len(name) + len(value) for name, value in scope["headers"])
        if size > LARGEST_HEAD:
            await _error(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)(scope, receive, send)
        else:
            await app(scope, receive, send)

    return bounded
