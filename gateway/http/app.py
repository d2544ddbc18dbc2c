"""The application that answers the API; the guard stands in front of it."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import cache

from fastapi import APIRouter, FastAPI
from fastapi.routing import APIRoute
from starlette.routing import BaseRoute

from gateway.desk.access import Access
from gateway.desk.drafts.desk import DraftDesk
from gateway.desk.drafts.saving import keep_saving
from gateway.desk.services import Services
from gateway.desk.trace.blames import BlameDesk
from gateway.desk.worlds.mentions import MentionDesk
from gateway.http import login_page, problems, seat_door
from gateway.http.event_streams import Streams
from gateway.http.routes import (
    approvals,
    drafts,
    events,
    new_works,
    operator,
    runs,
    schedules,
    search,
    session,
    spending,
    table,
    tokens,
    waits,
)
from gateway.http.routes.books import books
from gateway.http.routes.books import export as book_export
from gateway.http.routes.books import history as book_history
from gateway.http.routes.books import outlines as book_outlines
from gateway.http.routes.books import provenance as book_provenance
from gateway.http.routes.books import restoring as book_restoring
from gateway.http.routes.books import review as book_review
from gateway.http.routes.books import sessions as book_sessions
from gateway.http.routes.books import story as book_story
from gateway.http.routes.books import texts as book_texts
from gateway.http.routes.manuscripts import audits, citations, manuscripts
from gateway.http.routes.manuscripts import provenance as manuscript_provenance
from gateway.http.routes.manuscripts import runs as manuscript_runs
from gateway.http.routes.scenes import branches as scene_branches
from gateway.http.routes.scenes import files as scene_files
from gateway.http.routes.scenes import lore as scene_lore
from gateway.http.routes.scenes import messages as scene_messages
from gateway.http.routes.scenes import pictures as scene_pictures
from gateway.http.routes.scenes import rounds as scene_rounds
from gateway.http.routes.scenes import scenes
from gateway.http.routes.scenes import seats as scene_seats
from gateway.http.routes.scenes import states as scene_states
from gateway.http.routes.scenes import typing as scene_typing
from gateway.http.routes.worlds import editing as worlds_editing
from gateway.http.routes.worlds import lore_entries, mentions, worlds
from gateway.http.site import PREFIX, Site
from gateway.hub import Hub

VERSION = "1"
_ROUTERS = (
    *(session.router, tokens.router, drafts.router, table.entry, table.router),
    *(books.router, book_texts.router, book_sessions.router, book_restoring.router, book_story.router),
    *(book_provenance.router, schedules.of_book, book_export.router),
    *(book_outlines.router, book_review.router, book_history.router, worlds.router),
    *(manuscripts.router, manuscript_runs.router, citations.router, audits.router),
    manuscript_provenance.router,
    *(scene_files.router, scenes.router, scene_messages.router, scene_rounds.router, scene_states.router),
    *(scene_branches.router, scene_lore.router, scene_pictures.router, scene_seats.router),
    *(runs.router, approvals.router, spending.router, spending.caps, events.router),
    *(schedules.router, operator.router, search.router, waits.router),
    *(worlds_editing.router, lore_entries.router, mentions.router, new_works.router, scene_typing.router),
)


def http_app(services: Services, access: Access, site: Site) -> FastAPI:
    """The API over ``services``, at ``/api/v1``; serve it behind ``guard.Guard`` only."""
    app = FastAPI(
        title="Penwright",
        version=VERSION,
        openapi_url=f"{PREFIX}/openapi.json",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        lifespan=_lifespan,
    )
    app.state.hub, app.state.streams = Hub(services), Streams()
    app.state.drafts, app.state.blames = DraftDesk(services), BlameDesk(services)
    app.state.mentions = MentionDesk(services)
    app.state.services, app.state.access, app.state.site = services, access, site
    problems.install(app)
    app.router.routes.extend(_routes())
    return app


@cache
def _routes() -> Sequence[BaseRoute]:
    """All routes; every application of a process shares them, as working out their models takes a second."""
    routes = APIRouter(generate_unique_id_function=_operation_id, responses=problems.ALWAYS)
    routes.include_router(login_page.router)
    routes.include_router(seat_door.router)
    routes.add_api_route("/healthz", _healthy, include_in_schema=False)
    for router in _ROUTERS:
        routes.include_router(router, prefix=PREFIX)
    return tuple(routes.routes)


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    saving = asyncio.create_task(keep_saving(app.state.drafts))
    try:
        yield
    finally:
        saving.cancel()


async def _healthy() -> dict[str, str]:
    return {"status": "ok"}


def _operation_id(route: APIRoute) -> str:
    return route.name
