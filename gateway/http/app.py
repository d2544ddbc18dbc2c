"""The application that answers the API; the guard stands in front of it."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import cache

from fastapi import APIRouter, FastAPI
from fastapi.routing import APIRoute
from starlette.routing import BaseRoute

from gateway.desk.access import Access
from gateway.desk.blames import BlameDesk
from gateway.desk.drafts.desk import DraftDesk
from gateway.desk.drafts.saving import keep_saving
from gateway.desk.services import Services
from gateway.http import login_page, problems
from gateway.http.event_streams import Streams
from gateway.http.routes import (
    approvals,
    book_export,
    book_history,
    book_provenance,
    book_restoring,
    book_review,
    book_schedule,
    book_sessions,
    book_texts,
    books,
    budgets,
    citations,
    drafts,
    events,
    lore_entries,
    manuscript_runs,
    manuscript_schedule,
    manuscripts,
    new_works,
    operator,
    runs,
    scene_branches,
    scene_files,
    scene_lore,
    scene_messages,
    scene_pictures,
    scene_rounds,
    scene_states,
    scene_typing,
    scenes,
    schedules,
    search,
    session,
    spending,
    tokens,
    waits,
    worlds,
    worlds_editing,
)
from gateway.http.site import PREFIX, Site
from gateway.hub import Hub

VERSION = "1"
_ROUTERS = (
    *(session.router, tokens.router, drafts.router),
    *(books.router, book_texts.router, book_sessions.router, book_restoring.router),
    *(book_provenance.router, book_schedule.router, book_export.router),
    *(book_review.router, book_history.router, worlds.router),
    *(manuscripts.router, manuscript_runs.router, manuscript_schedule.router, citations.router),
    *(scene_files.router, scenes.router, scene_messages.router, scene_rounds.router, scene_states.router),
    *(scene_branches.router, scene_lore.router, scene_pictures.router),
    *(runs.router, approvals.router, spending.router, budgets.router, events.router),
    *(schedules.router, operator.router, search.router, waits.router),
    *(worlds_editing.router, lore_entries.router, new_works.router, scene_typing.router),
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
    app.state.services, app.state.access, app.state.site = services, access, site
    problems.install(app)
    app.router.routes.extend(_routes())
    return app


@cache
def _routes() -> Sequence[BaseRoute]:
    """All routes; every application of a process shares them, as working out their models takes a second."""
    routes = APIRouter(generate_unique_id_function=_operation_id, responses=problems.ALWAYS)
    routes.include_router(login_page.router)
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
