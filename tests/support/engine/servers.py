"""One Temporal server and one PostgreSQL cluster for all test processes of a run.

The process that distributes the tests starts both. Each test process has its own namespace and databases.
"""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from typing import Any

import pytest
from temporalio.client import Client
from temporalio.testing import WorkflowEnvironment

from tests.support.engine.postgres import running_cluster
from tests.support.engine.temporal import TemporalServer, running_server
from workers.preparing import temporal as prepare
from workers.temporal_plugin import STRICT_PLUGIN

GIVEN = "penwright_servers"
"""The name under which a test process finds the servers."""


@dataclass(frozen=True)
class Servers:
    """The servers as one test process sees them."""

    temporal: TemporalServer
    postgres: str
    """The URL of the cluster."""


SPARE = 4
"""Namespaces for test processes that take the place of one that died."""


class SharedServers:
    """Starts the servers before the first test process, and stops them at the end of the run."""

    def __init__(self, processes: int) -> None:
        self._namespaces = tuple(f"gw{number}" for number in range(processes + SPARE))
        self._running = ExitStack()
        self._temporal: TemporalServer | None = None
        self._postgres = ""

    def pytest_configure_node(self, node: Any) -> None:  # Any: xdist has no types
        if self._temporal is None:
            self._postgres = self._running.enter_context(running_cluster()).url
            self._temporal = self._running.enter_context(running_server(self._namespaces))
        own = {**asdict(self._temporal), "namespace": node.gateway.id}
        node.workerinput[GIVEN] = {"temporal": own, "postgres": self._postgres}

    def pytest_unconfigure(self) -> None:
        self._running.close()


def shared_servers(config: pytest.Config) -> Servers | None:
    """The servers of this run, or None in a run of one process."""
    given = getattr(config, "workerinput", {}).get(GIVEN)
    return Servers(TemporalServer(**given["temporal"]), given["postgres"]) if given else None


@pytest.fixture(scope="session")
def temporal_server(request: pytest.FixtureRequest) -> Iterator[TemporalServer]:
    """The development server of this run."""
    shared = shared_servers(request.config)
    if shared is not None:
        yield shared.temporal
        return
    with running_server() as server:
        yield server


@pytest.fixture(scope="session")
async def temporal_env(temporal_server: TemporalServer) -> WorkflowEnvironment:
    """A client of the development server, attributes registered, in the namespace of this test process."""
    client = await Client.connect(
        temporal_server.address, namespace=temporal_server.namespace, plugins=[STRICT_PLUGIN]
    )
    await prepare.search_attributes(client)
    return WorkflowEnvironment.from_client(client)


@pytest.fixture(scope="session")
def postgres_server(request: pytest.FixtureRequest) -> Iterator[str]:
    """The URL of the cluster that every test of this run shares; the one to kill is ``mortal_cluster``."""
    shared = shared_servers(request.config)
    if shared is not None:
        yield shared.postgres
        return
    with running_cluster() as cluster:
        yield cluster.url
