"""The Temporal UI behind a guard: its own server answers every Host, so only this one is told to browsers."""

import asyncio
import re
from collections.abc import Callable
from http.cookies import CookieError, SimpleCookie

import httpx
from fastapi import FastAPI
from pydantic import ValidationError
from starlette.background import BackgroundTask
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response, StreamingResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from gateway.desk.access import Access
from gateway.http import login_page
from gateway.http.guard import session_secret
from gateway.http.limits import BoundedBody
from gateway.http.routes.session import SignIn
from gateway.http.site import PREFIX, UI, Site
from penwright.domain.text.whole_numbers import whole_number
from penwright.errors import PenwrightError
from workers.http_guard import FORBIDDEN, HostGuard

LARGEST_BODY = 4_000_000
"""Bytes of one request; Temporal itself takes no larger input."""
LARGEST_SIGN_IN = 10_000
"""Bytes of the request that signs in: anyone may send it."""
_PATIENCE = httpx.Timeout(60, connect=5)
_SAFE = ("GET", "HEAD", "OPTIONS")
_SAME_SITE = ("same-origin", "none")
_NOT_FORWARDED = frozenset(
    {"host", "origin", "referer", "cookie", "authorization", "connection", "keep-alive", "te", "upgrade"}
    | {"transfer-encoding", "trailer", "proxy-connection", "proxy-authorization", "forwarded"}
)
_NOT_RETURNED = frozenset({"connection", "keep-alive", "transfer-encoding", "trailer", "upgrade"})
_PATH = re.compile(rb"/[!-\"$-~]*")
"""Path and query as browsers send them: no other server's address, no fragment."""
_CSRF_COOKIE = "_csrf"
_SIGN_IN = (
    "This machine is shared (engine.shared), so the Temporal UI asks who you are.\n"
    "Run `penwright web --temporal` and open its link.\n"
)

Upstream = Callable[[], str | None]
"""Address of the UI's own server now, such as ``http://127.93.4.201:40123``; None while there is none."""


def temporal_ui(upstream: Upstream, hosts: frozenset[str], access: Access | None, cookie: str) -> ASGIApp:
    """The UI for browsers that name one of ``hosts``.

    Args:
        access: whom to ask who signed in; None answers each user of this machine.
        cookie: name of the session's cookie here.
    """
    if access is None:
        return HostGuard(_Bounded(_TemporalUi(upstream, None)), hosts)
    door = _Door(access, Site(hosts, cookie))
    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None)
    app.include_router(login_page.router)
    app.add_route(f"{PREFIX}/session", door.sign_in, methods=["POST"])
    app.add_route(f"{UI}/", _to_board)
    app.mount("/", _TemporalUi(upstream, door))
    return HostGuard(_Bounded(app), hosts)


class _Bounded:
    """Bodies of requests are limited in size, and in the time that they take."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        try:
            await self._app(scope, BoundedBody(receive, LARGEST_BODY), send)
        except HTTPException as error:
            late = PlainTextResponse(f"{error.detail}\n", error.status_code, error.headers)
            await late(scope, receive, send)


async def _to_board(request: Request) -> Response:
    # The page to sign in goes on to the workspace's pages; here they are the UI.
    return RedirectResponse("/")


class _Door:
    """Signs browsers in, and knows those that have."""

    def __init__(self, access: Access, site: Site) -> None:
        self._access = access
        self._site = site

    async def sign_in(self, request: Request) -> Response:
        """Exchange a one-time code for a session, as the workspace does."""
        if refused := _too_large(request.headers, LARGEST_SIGN_IN):
            return refused
        try:
            given = SignIn.model_validate_json(await request.body())
            issued = await asyncio.to_thread(self._access.sign_in, given.code)
        except ValidationError:
            return JSONResponse({"detail": "a code is asked for", "hint": _SIGN_IN}, 422)
        except PenwrightError as error:
            return JSONResponse({"detail": error.message, "hint": "`penwright web --temporal`"}, 403)
        response = Response(status_code=201)
        response.set_cookie(self._site.cookie, issued.secret, path="/", httponly=True, samesite="strict")
        return response

    async def opens(self, headers: Headers) -> bool:
        """Whether a request comes from one who may do everything: the UI knows no scopes."""
        secret = session_secret(headers, self._site)
        caller = await asyncio.to_thread(self._access.of_session, secret) if secret else None
        if caller is None:
            return False
        return "admin" in caller.principal.scopes and caller.principal.subjects is None


class _TemporalUi:
    def __init__(self, upstream: Upstream, door: _Door | None) -> None:
        self._upstream = upstream
        self._door = door
        self._client = httpx.AsyncClient(timeout=_PATIENCE, trust_env=False)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":  # the UI has none
            await send({"type": "websocket.close"})
            return
        request = Request(scope, receive)
        response = await self._refused(request) or await self._forwarded(request)
        response.headers["x-frame-options"] = "DENY"
        await response(scope, receive, send)

    async def _refused(self, request: Request) -> Response | None:
        headers = request.headers
        if request.method not in _SAFE and headers.get("sec-fetch-site", "none") not in _SAME_SITE:
            return PlainTextResponse("another site sent this request\n", FORBIDDEN)
        if refused := _too_large(headers, LARGEST_BODY):
            return refused
        if not _PATH.fullmatch(_target(request.scope)):
            return PlainTextResponse("that is no path of this server\n", 400)
        try:
            known = self._door is None or await self._door.opens(headers)
        except PenwrightError as error:
            return PlainTextResponse(f"{error.message}\n", 503)
        return None if known else PlainTextResponse(_SIGN_IN, 401)

    async def _forwarded(self, request: Request) -> Response:
        if (base := self._upstream()) is None:
            return _unreachable("it is not running")
        asked = self._client.build_request(
            request.method,
            httpx.URL(base).copy_with(raw_path=_target(request.scope)),
            headers=_passed_on(request.headers),
            content=await request.body(),
        )
        try:
            answer = await self._client.send(asked, stream=True)
        except httpx.HTTPError as error:
            return _unreachable(str(error) or type(error).__name__)
        response = StreamingResponse(
            answer.aiter_raw(), answer.status_code, background=BackgroundTask(answer.aclose)
        )
        response.raw_headers = [
            (name.lower(), value) for name, value in answer.headers.raw if _returned(name)
        ]
        return response


def _target(scope: Scope) -> bytes:
    """Path and query as the browser sent them: workflow ids have slashes in them."""
    path: bytes = scope.get("raw_path") or scope["path"].encode()
    return path.partition(b"?")[0] + (b"?" + scope["query_string"] if scope["query_string"] else b"")


def _passed_on(headers: Headers) -> list[tuple[str, str]]:
    """Without what names our server, and without our session: the UI's own server has no use for it."""
    kept = [(name, value) for name, value in headers.items() if name not in _NOT_FORWARDED]
    try:
        token = SimpleCookie(headers.get("cookie", "")).get(_CSRF_COOKIE)
    except CookieError:
        token = None
    return [*kept, ("cookie", f"{_CSRF_COOKIE}={token.value}")] if token else kept


def _returned(name: bytes) -> bool:
    """Whether the browser may have a header of the UI's answer; no other site is let in by one."""
    known = name.decode("latin-1").lower()
    return known not in _NOT_RETURNED and not known.startswith("access-control-")


def _too_large(headers: Headers, most: int) -> Response | None:
    if "transfer-encoding" in headers or _length(headers) > most:
        return PlainTextResponse(f"a request has at most {most} bytes\n", 413)
    return None


def _length(headers: Headers) -> int:
    size = whole_number(headers.get("content-length", "0"), LARGEST_BODY)
    return LARGEST_BODY + 1 if size is None else size


def _unreachable(why: str) -> Response:
    return PlainTextResponse(f"the Temporal UI does not answer: {why}\n", 502)
