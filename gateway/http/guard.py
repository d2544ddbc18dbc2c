"""The guard in front of pages, API, events and WebSockets: without its consent nothing is reached."""

import asyncio
import re
import secrets
from collections.abc import MutableMapping
from typing import Any

import structlog
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gateway.desk.access import Access, Caller
from gateway.desk.scene.table.seats import seat_of
from gateway.http import problems, seat_door
from gateway.http.cookies import cookie_of
from gateway.http.limits import BoundedBody, Rates, largest_body
from gateway.http.login_page import OPEN_FILES, page
from gateway.http.open_sockets import OpenSockets
from gateway.http.seat_callers import seat_secrets, sitting
from gateway.http.site import PREFIX, SEAT, UI, Site
from gateway.http.unavailable_page import unavailable_page
from penwright.domain.text.whole_numbers import whole_number
from penwright.errors import PenwrightError, PermanentError
from workers.http_guard import POLICY_VIOLATION, refusal

_API_POLICY = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
_LOGIN_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
# The pages' library needs inline scripts and evaluation; see docs/dev/decisions.md.
_UI_POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; "
    "style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; object-src 'none'; frame-ancestors 'none'"
)
_ALWAYS = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}

Header = tuple[bytes, bytes]


def secured(headers: list[Header], path: str, request_id: str, *, page: bool = True) -> list[Header]:
    """``headers`` of an answer at ``path`` with ours; no other site is ever let in.

    ``page``: False for files that never change and may be cached.
    """
    ours = _ALWAYS | {"content-security-policy": _policy(path), "x-request-id": request_id}
    if page:
        ours["cache-control"] = "no-store"
    names = {name.encode() for name in ours}
    kept = [
        (name, value)
        for name, value in headers
        if name.lower() not in names and not name.lower().startswith(b"access-control-")
    ]
    return kept + [(name.encode(), value.encode()) for name, value in ours.items()]


def _policy(path: str) -> str:
    if path.startswith(PREFIX):
        return _API_POLICY
    return _UI_POLICY if path.startswith(f"{UI}/") else _LOGIN_POLICY


OPEN = frozenset(
    {
        *(("GET", each) for each in ("/healthz", *OPEN_FILES, *seat_door.OPEN_FILES)),
        *(("POST", f"{PREFIX}/{each}") for each in ("session", "seats/session")),
    }
)
"""Requests that are answered without a credential, by method and path."""
_SAFE = ("GET", "HEAD")
_BODY_TYPES = ("application/json", "application/octet-stream")
"""Types that a page of another site cannot send without asking first."""
_SAME_SITE = ("same-origin", "none")
_REQUEST_ID = re.compile(r"[A-Za-z0-9-]{8,64}")
_SOCKET = f"{UI}/_nicegui_ws"
_FILES = f"{UI}/_nicegui/"
_ENDLESS = 10**18
"""Bytes of a body whose length is no number."""


class Guard:
    """An ASGI application that lets through only known callers of this site, with their principal.

    ``scope["state"]`` of what it lets through has ``principal``, ``credential`` and ``request_id``.
    """

    def __init__(self, app: ASGIApp, access: Access, site: Site) -> None:
        self._app = app
        self._access = access
        self._site = site
        self._rates = Rates()
        self._sockets = OpenSockets(access)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        match scope["type"]:
            case "lifespan":
                await self._app(scope, receive, send)
            case "websocket":
                await self._socket(_own(scope, self._site), receive, send)
            case "http":
                await self._request(_own(scope, self._site), receive, send)

    async def _request(self, scope: Scope, receive: Receive, send: Send) -> None:
        answers = _Answers(send, scope["path"], scope["state"]["request_id"])
        # Each request is a task, at whose end the server logs what it did not expect.
        structlog.contextvars.bind_contextvars(request_id=answers.request_id)
        try:
            refused = self._refused(scope) or await self._unknown(scope)
            if refused is None:
                bounded = BoundedBody(receive, largest_body(scope["path"]))
                await self._app(scope, bounded, answers)
            else:
                await refused(scope, receive, answers)
        except PenwrightError as error:
            away = unavailable_page if _navigates(scope) else problems.of_error
            await self._late(away(error, answers.request_id), scope, receive, answers)
        except HTTPException as error:
            await self._late(problems.of_http(error, answers.request_id), scope, receive, answers)

    async def _late(self, answer: Response, scope: Scope, receive: Receive, answers: "_Answers") -> None:
        if not answers.begun:
            await answer(scope, receive, answers)

    def _refused(self, scope: Scope) -> Response | None:
        """The answer to a request that no caller may send."""
        headers, about = Headers(scope=scope), scope["state"]["request_id"]
        method, path = scope["method"], scope["path"]
        if found := refusal(headers, self._site.hosts, websocket=False, schemes=self._site.schemes):
            return problems.problem("wrong-address", found.reason, found.status, request_id=about)
        if method not in (*_SAFE, "POST", "PUT", "PATCH", "DELETE"):
            return problems.problem("method-not-allowed", f"{method} is not taken", 405, request_id=about)
        if path.startswith(_SOCKET):
            return problems.problem(
                "websocket-only", "only a WebSocket is served here", 404, request_id=about
            )
        if _size(headers) > largest_body(path):
            return problems.problem("too-large", "the body is too large", 413, request_id=about)
        if method in _SAFE:
            return None
        if headers.get("sec-fetch-site", "none") not in _SAME_SITE:
            return problems.problem("cross-site", "another site sent this request", 403, request_id=about)
        if path.startswith(PREFIX) and _has_body(headers) and _type(headers) not in _BODY_TYPES:
            return problems.problem("not-json", "the body must be application/json", 415, request_id=about)
        return None

    async def _unknown(self, scope: Scope) -> Response | None:
        """The answer to a request without a valid credential; notes who sends the others."""
        method, path, about = scope["method"], scope["path"], scope["state"]["request_id"]
        if ("GET" if method == "HEAD" else method, path) in OPEN:
            return None
        headers = Headers(scope=scope)
        if mark := seat_door.asked_seat(scope, _SOCKET):
            return await self._unseated(scope, headers, mark)
        if path == SEAT or path.startswith(f"{SEAT}/"):
            return await self._seated(scope, headers)
        caller = await self._caller(headers)
        if caller is None:
            is_file = method in _SAFE and path.startswith(_FILES)
            if is_file and await self._unseated(scope, headers, "") is None:
                return None
            return self._stranger(scope, headers)
        if method not in _SAFE and caller.credential.kind == "session" and "origin" not in headers:
            return problems.problem("no-origin", "a browser says where it is", 403, request_id=about)
        if path.startswith(PREFIX) and (seconds := self._rates.asked(caller.credential.id)):
            return _too_many(seconds, about)
        scope["state"] |= {"principal": caller.principal, "credential": caller.credential}
        return None

    async def _unseated(self, scope: Scope, headers: Headers, mark: str) -> Response | None:
        """The answer to a browser without the seat that it asks for, or, without a mark, any seat."""
        error: PermanentError | None = None
        for secret in seat_door.secrets_in(headers, self._site, mark):
            try:
                await asyncio.to_thread(seat_of, self._access.services, secret)
            except PermanentError as found:
                error = found
            else:
                scope["state"] |= {"principal": seat_door.principal_of(secret), "seat_secret": secret}
                return None
        return seat_door.closed(error)

    async def _seated(self, scope: Scope, headers: Headers) -> Response | None:
        """The answer to a request for a seat by anyone but its person; notes who that is."""
        about = scope["state"]["request_id"]
        secrets, by_cookie = seat_secrets(headers, self._site)
        found = await asyncio.to_thread(sitting, self._access.services, secrets)
        if isinstance(found, PermanentError):
            address = scope["client"][0] if scope.get("client") else "unknown"
            seconds = self._rates.failed(address)
            return _too_many(seconds, about) if seconds else problems.of_error(found, about)
        if scope["method"] not in _SAFE and by_cookie and "origin" not in headers:
            return problems.problem("no-origin", "a browser says where it is", 403, request_id=about)
        if seconds := self._rates.asked(found.credential.id):
            return _too_many(seconds, about)
        scope["state"] |= {
            "principal": found.principal,
            "credential": found.credential,
            "seat": found.seat,
            "seat_secret": found.secret,
        }
        return None

    def _stranger(self, scope: Scope, headers: Headers) -> Response:
        about = scope["state"]["request_id"]
        if _navigates(scope):
            return HTMLResponse(page(), 401)
        address = scope["client"][0] if scope.get("client") else "unknown"
        if seconds := self._rates.failed(address):
            return _too_many(seconds, about)
        return problems.problem(
            "not-signed-in",
            "this address needs a token or a session",
            401,
            hint="run `penwright web` to sign in with a browser, "
            "`penwright web tokens create NAME --scope read` for a program",
            request_id=about,
            headers={"www-authenticate": "Bearer"},
        )

    async def _caller(self, headers: Headers) -> Caller | None:
        kind, _, token = headers.get("authorization", "").partition(" ")
        if kind.lower() == "bearer":
            return await asyncio.to_thread(self._access.of_token, token.strip())
        secret = session_secret(headers, self._site)
        return await asyncio.to_thread(self._access.of_session, secret) if secret else None

    async def _socket(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        reason = ""
        if found := refusal(headers, self._site.hosts, websocket=True, schemes=self._site.schemes):
            reason = found.reason
        elif mark := seat_door.asked_seat(scope, _SOCKET):
            if await self._seated_socket(scope, headers, mark):
                return await self._app(scope, receive, send)
            reason = "no such seat"
        elif (caller := await self._socket_caller(headers)) is None:
            reason = "sign in first"
        else:
            scope["state"] |= {"principal": caller.principal, "credential": caller.credential}
            return await self._sockets.serve(self._app, scope, receive, send, caller.credential)
        return await send({"type": "websocket.close", "code": POLICY_VIOLATION, "reason": reason})

    async def _seated_socket(self, scope: Scope, headers: Headers, mark: str) -> bool:
        """Whether a socket is of a seat; the page itself looks, at each act, whether that is over."""
        try:
            return await self._unseated(scope, headers, mark) is None
        except PenwrightError:
            # The store does not answer; the browser tries again.
            return False

    async def _socket_caller(self, headers: Headers) -> Caller | None:
        try:
            return await self._caller(headers)
        except PenwrightError:
            # The store does not answer; the browser tries again.
            return None


def session_secret(headers: Headers, site: Site) -> str:
    """The secret in the session's cookie; empty without one."""
    return cookie_of(headers, site.cookie)


def _navigates(scope: Scope) -> bool:
    """Whether a person's browser asks for a page."""
    accepted = Headers(scope=scope).get("accept", "")
    return scope["method"] == "GET" and "text/html" in accepted and not scope["path"].startswith(PREFIX)


class _Answers:
    """A ``send`` that adds our headers, and knows whether an answer has begun."""

    def __init__(self, send: Send, path: str, request_id: str) -> None:
        self._send = send
        self._path = path
        self.request_id = request_id
        self.begun = False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.begun = True
            page = not self._path.startswith(_FILES)
            headers = secured(list(message.get("headers", ())), self._path, self.request_id, page=page)
            message = {**message, "headers": headers}
        await self._send(message)


def _own(scope: Scope, site: Site) -> Scope:
    """A copy of ``scope`` with a state of its own, and without what only a proxy may say."""
    headers = [
        (name, value)
        for name, value in scope["headers"]
        if site.behind_proxy or not (name.startswith(b"x-forwarded-") or name == b"forwarded")
    ]
    given = Headers(raw=headers).get("x-request-id", "")
    request_id = given if _REQUEST_ID.fullmatch(given) else secrets.token_hex(8)
    # Any: whatever the server and its lifespan keep there.
    state: MutableMapping[str, Any] = {**scope.get("state", {}), "request_id": request_id}
    return {**scope, "headers": headers, "state": state}


def _too_many(seconds: int, request_id: str) -> Response:
    return problems.problem(
        "too-many-requests",
        f"too many requests; try again in {seconds} s",
        429,
        retryable=True,
        request_id=request_id,
        headers={"retry-after": str(seconds)},
    )


def _has_body(headers: Headers) -> bool:
    return "transfer-encoding" in headers or _size(headers) > 0


def _type(headers: Headers) -> str:
    return headers.get("content-type", "").partition(";")[0].strip().lower()


def _size(headers: Headers) -> int:
    size = whole_number(headers.get("content-length", "0"), _ENDLESS)
    return _ENDLESS if size is None else size
