"""The registries, asked on a local server."""

from collections.abc import AsyncIterator, Iterator

import pytest
import pytest_asyncio

from penwright.adapters.scholarly import Registries, open_sources
from penwright.adapters.scholarly.recorded import recorded_works
from penwright.ports.scholarly import ScholarlySources
from tests.support.scholarly.server import NAMES, RegistryServer, running_registries


@pytest.fixture
def server() -> Iterator[RegistryServer]:
    with running_registries(recorded_works()) as running:
        yield running


@pytest_asyncio.fixture(loop_scope="session")
async def registries(server: RegistryServer) -> AsyncIterator[ScholarlySources]:
    async with open_sources(of(server)) as sources:
        yield sources


def of(server: RegistryServer, *, timeout_s: float = 5, keys: bool = False) -> Registries:
    """How to ask this server."""
    return Registries(
        sources=NAMES,
        contact="tests@example.org",
        program="Penwright/0.0",
        addresses=server.addresses,
        keys={"openalex": "open-key", "pubmed": "ncbi-key", "crossref": "plus-key"} if keys else {},
        timeout_s=timeout_s,
        gap_factor=0,
    )
