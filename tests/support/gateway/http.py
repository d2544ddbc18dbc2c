"""The API and its guard in process, over a stage."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import httpx
from fastapi import FastAPI

from gateway.desk.access import Access
from gateway.desk.manuscript import new_novels
from gateway.desk.principals import SCOPES, Scope, local_user
from gateway.desk.scene import creating
from gateway.desk.scene.creating import NewScene
from gateway.desk.services import Services
from gateway.http.app import http_app
from gateway.http.guard import Guard
from gateway.http.site import PREFIX, Site
from schemas.worlds import Character, Persona, World
from tests.support.gateway.services import StageServices
from workers.http_guard import loopback_hosts

PORT = 7280
ORIGIN = f"http://127.0.0.1:{PORT}"
SITE = Site(hosts=loopback_hosts(PORT), cookie="penwright_stage")


def key() -> dict[str, str]:
    """The header with a new idempotency key."""
    return {"idempotency-key": str(uuid4())}


@dataclass(frozen=True)
class Api:
    """The application, and ways to be a caller of it."""

    app: FastAPI
    guard: Guard
    access: Access

    def token(self, *scopes: Scope, subjects: tuple[str, ...] | None = None) -> str:
        """The secret of a new token; its subjects need not exist."""
        made = self.access.create_token(local_user("ada"), "test", scopes or SCOPES, subjects, future=True)
        return made.secret

    @asynccontextmanager
    async def client(self, token: str | None = None, **headers: str) -> AsyncIterator[httpx.AsyncClient]:
        """A program with ``token``; paths are those below ``/api/v1``."""
        transport = httpx.ASGITransport(app=self.guard, raise_app_exceptions=False)
        given = {"authorization": f"Bearer {token}"} if token else {}
        async with httpx.AsyncClient(
            transport=transport, base_url=f"{ORIGIN}{PREFIX}", headers={**given, **headers}
        ) as client:
            yield client

    @asynccontextmanager
    async def browser(self) -> AsyncIterator[httpx.AsyncClient]:
        """A browser that has signed in."""
        async with self.client(origin=ORIGIN) as client:
            signed = await client.post("/session", json={"code": self.access.new_code()})
            assert signed.status_code == 201, signed.text
            yield client


def api_over(services: Services) -> Api:
    """The API over ``services``."""
    access = Access(services)
    app = http_app(services, access, SITE)
    return Api(app, Guard(app, access, SITE), access)


def a_world(services: StageServices) -> str:
    """Id of a new world, with three characters and two personas."""
    worlds = services.store.worlds
    for name in ("Ann", "Bob", "Cleo"):
        worlds.create(Character(id="", name=name))
    for name in ("Mira", "Nell"):
        worlds.create(Persona(id="", name=name))
    return worlds.create(World(id="", name="Skerrow")).id


def a_scene(services: StageServices, world: str) -> str:
    """Id of a new scene, with Ann and Bob in it, played as Mira."""
    wish = NewScene(title="The Quay", world=world, cast=("Ann", "Bob"), persona="Mira")
    return creating.create(services, wish).scene.id


def a_novel(services: StageServices, place: Path) -> str:
    """Id of a new novel at ``place``, with a manuscript."""
    text = "# Ebb\n\nThe keeper counts the lamps at dusk.\n"
    made = new_novels.create(services, place, {"title": "Low Tide", "author": "M. Orr"}, scenes={"-": text})
    return made.novel_id
