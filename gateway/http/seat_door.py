"""The door of a seat: the page that its link opens, and the cookie by which its browser is known.

A browser may hold several seats, and the operator's session besides. So each seat has a cookie of its own,
named by a mark that stands in the address of its page and socket; it opens these and the seat's table in
the API, and nothing else.
"""

from functools import cache
from html import escape
from pathlib import Path
from string import Template
from urllib.parse import parse_qs

from fastapi import APIRouter
from starlette.datastructures import Headers
from starlette.responses import HTMLResponse, Response
from starlette.types import Scope

from gateway.desk.access import digest
from gateway.desk.principals import Principal
from gateway.desk.scene.table.seats import PAGE
from gateway.http.cookies import cookies_of
from gateway.http.site import UI, Site
from penwright.errors import NotFound, PermanentError

PAGES = f"{UI}/seat/"
OPEN_FILES = (PAGE, f"{PAGE}/enter.js")
_FOLDER = Path(__file__).parent / "seat_door"
_UNOPENED = "Open the link that you were sent by the person who runs the scene."

router = APIRouter(include_in_schema=False)


def mark_of(secret: str) -> str:
    """Return the name of a seat in addresses, from which its secret cannot be found."""
    return digest(secret)[:16]


def principal_of(secret: str) -> Principal:
    """Return the caller on whose behalf a seat's page is shown: nothing else is open to it."""
    return Principal(f"seat {mark_of(secret)}", frozenset(), frozenset())


def cookie_of(site: Site, mark: str) -> str:
    """Return the name of a seat's cookie."""
    return f"{site.seat_cookies}{mark}"


def asked_seat(scope: Scope, socket: str) -> str:
    """Return the mark of the seat whose page or socket is asked for; empty: it is something else.

    Args:
        socket: path of the sockets of all pages.
    """
    path: str = scope["path"]
    if path.startswith(PAGES):
        return path.removeprefix(PAGES)
    if path.startswith(socket):
        query: bytes = scope["query_string"]
        return parse_qs(query.decode("latin-1")).get("seat", [""])[0]
    return ""


def secrets_in(headers: Headers, site: Site, mark: str) -> tuple[str, ...]:
    """Return the secret of the seat with this mark, or of all that the browser has had."""
    names = site.seat_cookies
    held = {name: value for name, value in cookies_of(headers).items() if name.startswith(names)}
    return tuple(value for name, value in held.items() if mark in ("", name.removeprefix(names)))


@router.get(PAGE)
def door() -> Response:
    """The page."""
    return HTMLResponse(_page(_UNOPENED))


@router.get(f"{PAGE}/enter.js")
def script() -> Response:
    """Its script."""
    return Response((_FOLDER / "enter.js").read_bytes(), media_type="text/javascript")


def closed(error: PermanentError | None) -> Response:
    """Answer a browser that has no seat, or one that is over."""
    if error is None:
        return HTMLResponse(_page(_UNOPENED), 401)
    hint = str(error.details.get("hint", ""))
    said = ". ".join(f"{each[:1].upper()}{each[1:].rstrip('.')}" for each in (error.message, hint) if each)
    return HTMLResponse(_page(f"{said}.", error.code), 404 if isinstance(error, NotFound) else 403)


def _page(said: str, code: str = "") -> str:
    return _template().substitute(state=escape(said), code=escape(code))


@cache
def _template() -> Template:
    return Template((_FOLDER / "page.html").read_text(encoding="utf-8"))
