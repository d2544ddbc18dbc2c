"""Pages without a browser: NiceGUI's simulated user, over the rehearsed services."""

import asyncio
import gc
from collections.abc import AsyncIterator
from functools import partial, partialmethod
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from nicegui import Client, core
from nicegui.testing import User, general
from nicegui.testing.user_simulation import user_simulation

from gateway.desk.principals import SCOPES, Principal
from gateway.hub import Hub
from gateway.ui.app import register
from tests.support.gateway.services import StageServices


class PatientUser(User):
    """NiceGUI's user, with seconds where that one gives a page 0.3 s: on a busy machine it takes longer."""

    should_see = partialmethod(User.should_see, retries=100)
    should_not_see = partialmethod(User.should_not_see, retries=100)


@pytest.fixture
def principal() -> Principal:
    """Who looks at the pages; a test may bring its own."""
    return Principal("ann", frozenset(SCOPES))


@pytest.fixture
def hub(services: StageServices) -> Hub:
    """The events that the pages follow."""
    return Hub(services)


@pytest.fixture(autouse=True)
def young_garbage_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """NiceGUI collects garbage twice a test, which among all collected tests costs 0.7 s."""
    monkeypatch.setattr(general, "gc", SimpleNamespace(collect=partial(gc.collect, 1)))


@pytest.fixture
async def user(services: StageServices, principal: Principal, hub: Hub) -> AsyncIterator[User]:
    """A person at the pages; addresses are without ``/ui``."""

    async def guarded(scope: Any, receive: Any, send: Any) -> None:  # Any: ASGI
        scope.setdefault("state", {})["principal"] = principal
        await core.app(scope, receive, send)

    async with user_simulation():
        register(services, hub)
        transport = httpx.ASGITransport(guarded)
        async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
            yield PatientUser(client)
        # NiceGUI would forget the modules of the pages, and other tests would get second ones.
        Client.page_routes.clear()
        await asyncio.sleep(0)
