"""The API over a stage."""

from collections.abc import AsyncIterator

import httpx
import pytest

from tests.support.gateway.http import Api, a_scene, a_world, api_over
from tests.support.gateway.services import StageServices


@pytest.fixture
def api(services: StageServices) -> Api:
    return api_over(services)


@pytest.fixture
async def client(api: Api) -> AsyncIterator[httpx.AsyncClient]:
    """A program that may do everything."""
    async with api.client(api.token()) as client:
        yield client


@pytest.fixture
def world(services: StageServices) -> str:
    """Id of a world with three characters and two personas."""
    return a_world(services)


@pytest.fixture
def scene(services: StageServices, world: str) -> str:
    """Id of a scene with Ann and Bob in it."""
    return a_scene(services, world)
