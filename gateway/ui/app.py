"""The workspace: its pages, and how they are put into the app that serves them."""

import logging
from collections.abc import Awaitable, Callable
from pathlib import Path

from fastapi import FastAPI, Request
from nicegui import Client, ui
from nicegui import app as nicegui_app
from starlette.responses import PlainTextResponse, Response

from gateway.desk.services import Services
from gateway.hub import Hub
from gateway.ui import addresses
from gateway.ui.absent import Absent
from gateway.ui.badge import Badge
from gateway.ui.elements.html import link, text
from gateway.ui.elements.problem import problem
from gateway.ui.frame import RAIL, Frame, frame, frame_of, guest_frame
from gateway.ui.pages import (
    board,
    book,
    entity,
    health,
    history,
    library,
    manuscript,
    manuscripts,
    new_entity,
    new_work,
    provenance,
    review,
    run,
    scene,
    scenes,
    schedules,
    seat,
    settings,
    spending,
    story,
    versions,
    worlds,
    write,
)
from gateway.ui.parts.session_end import SessionEnd
from gateway.ui.sockets import bind_sockets
from gateway.ui.visit import NeverShownError, Visit, visit_of
from penwright.errors import NotFound, PenwrightError

Build = Callable[[Visit], Awaitable[None]]
"""Builds a page for a visit."""

PAGES: dict[str, Build] = {
    "/": board.page,
    "/books": library.page,
    "/books/new": new_work.book,
    "/books/{book_id}": book.page,
    "/books/{book_id}/review": review.page,
    "/books/{book_id}/story": story.page,
    "/books/{book_id}/history": history.page,
    "/books/{book_id}/provenance": provenance.page,
    "/manuscripts": manuscripts.page,
    "/manuscripts/new": new_work.manuscript,
    "/manuscripts/{novel}/{scene}": manuscript.page,
    "/manuscripts/{novel}/{scene}/history": versions.page,
    "/manuscripts/{novel}/{scene}/write": write.scene,
    "/scenes": scenes.page,
    "/scenes/new": new_entity.scene,
    "/scenes/{scene}": scene.page,
    "/worlds": worlds.page,
    "/worlds/{kind}/new": new_entity.entity,
    "/worlds/{kind}/{thing}": entity.page,
    "/runs": board.all_runs,
    "/runs/{run:path}": run.page,
    "/books/{book_id}/write": write.page,
    "/spending": spending.page,
    "/schedules": schedules.page,
    "/health": health.page,
    "/settings": settings.page,
}
"""Every page of the workspace by its path below the mount."""
SEAT = "/seat/{mark}"
"""The page of a seat, and the only one for its guest."""

_BUILT_WITHIN_S = 20.0
_FAILED = "The reason stands in the log of the web process. Load the page again to try once more."
_STYLE = Path(__file__).with_name("style.css")
_KEYS = Path(__file__).with_name("keys.js")
_AHEAD = Path(__file__).with_name("ahead.js")
_CONNECTION = Path(__file__).with_name("connection.js")
_log = logging.getLogger(__name__)


def mount(app: FastAPI, services: Services, hub: Hub) -> None:
    """Put the workspace into ``app``, below ``/ui``.

    The guard in front of ``app`` has put a ``Principal`` into ``scope["state"]["principal"]`` of every
    request and websocket; without one a page is not built.
    """
    register(services, hub)
    # The guard checks the upgrade of a websocket; polling would be a second way in.
    nicegui_app.config.socket_io_js_transports = ["websocket"]
    ui.run_with(
        app,
        title="Penwright",
        mount_path=addresses.BASE,
        dark=None,
        language="en-US",
        reconnect_timeout=30,
        binding_refresh_interval=None,
        storage_secret=None,
        tailwind=False,
        show_welcome_message=False,
    )
    bind_sockets()


def register(services: Services, hub: Hub) -> None:
    """Register every page with NiceGUI, whichever app it is put into."""
    badge, absent = Badge(), Absent(services)
    for path, build in PAGES.items():
        ui.page(path, response_timeout=_BUILT_WITHIN_S)(_opened(services, hub, build, badge, absent))
    ui.page(SEAT, response_timeout=_BUILT_WITHIN_S)(_seated(services, hub))
    nicegui_app.add_exception_handler(404, _missing)
    ui.add_css(_STYLE, shared=True)
    ui.add_head_html(f"<script>{_KEYS.read_text(encoding='utf-8')}</script>", shared=True)
    ui.add_body_html(f"<script>{_AHEAD.read_text(encoding='utf-8')}</script>", shared=True)
    # A module runs after the libraries that NiceGUI loads, and before the page is made with them.
    script = _CONNECTION.read_text(encoding="utf-8")
    ui.add_body_html(f'<script type="module">{script}</script>', shared=True)


def _opened(
    services: Services, hub: Hub, build: Build, badge: Badge, absent: Absent
) -> Callable[[Request], Awaitable[None]]:
    """The page function that NiceGUI calls; a problem becomes a page of its own."""

    async def opened(request: Request) -> None:
        visit = visit_of(services, hub, request)
        try:
            visit.require("read")
            await build(visit)
            if made := frame_of(ui.context.client):
                _completed(made, visit, badge)
                absent.show(made)
        except PenwrightError as error:
            _clear()
            _refuse(error, request.url.path)
        except NeverShownError:
            return
        except Exception:
            _log.exception("a page could not be built: %s", request.url.path)
            _clear()
            with frame("This page failed", here=""):
                text("p", _FAILED)

    return opened


def _seated(services: Services, hub: Hub) -> Callable[[Request], Awaitable[None]]:
    """The same for guests, whose page tells them nothing of the workspace."""

    async def opened(request: Request) -> None:
        try:
            await seat.page(visit_of(services, hub, request))
        except PenwrightError as error:
            _clear()
            with guest_frame("This table cannot be shown"):
                problem(error)
        except Exception:
            _log.exception("the page of a seat could not be built")
            _clear()
            with guest_frame("This table cannot be shown"):
                text("p", "Load the page again to try once more.")

    return opened


def _completed(made: Frame, visit: Visit, badge: Badge) -> None:
    """Add what every page has and no page builds itself."""
    if not made.counted:
        badge.show(visit, made)
    if visit.ends:
        with made.notices:
            SessionEnd(visit.ends, visit.services.now())


def _refuse(error: PenwrightError, path: str) -> None:
    """Say why a page cannot be shown, and lead to the list that it belongs to."""
    if isinstance(error, NotFound):
        ui.context.client.status_code = 404
    listing = "/" + path.removeprefix(addresses.BASE).strip("/").partition("/")[0]
    name, _, address = next((each for each in RAIL if each[2] == listing), RAIL[0])
    with frame("This page cannot be shown", here=""):
        problem(error)
        link(f"To the {name.lower()}", address)


def _clear() -> None:
    """Take away what was built of a page that failed, its header and rail too."""
    client = ui.context.client
    client.content.clear()
    for each in list(client.layout.default_slot.children):
        if each is not client.page_container:
            each.delete()


async def _missing(request: Request, error: Exception) -> Response:
    """The answer for an address that is no page; files get none of ours."""
    if "/_nicegui" in request.url.path:
        return PlainTextResponse("not found", 404)
    with Client(ui.page(""), request=request) as client:
        with frame("There is no such page", here=""):
            text("p", "The address is mistyped, or what it named was removed.")
            link("To the board", "/")
        return client.build_response(request, 404)
