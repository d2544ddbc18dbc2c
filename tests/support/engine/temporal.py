"""Real Temporal servers for tests: the tuned development server and the time-skipping one."""

import socket
import sysconfig
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import pytest
from temporalio.api.operatorservice.v1 import AddSearchAttributesRequest
from temporalio.testing import WorkflowEnvironment

from workers.engine import temporal
from workers.preparing import temporal as prepare
from workers.temporal_plugin import STRICT_PLUGIN

TEST_SERVER = "temporal-test-server"
START_ATTEMPTS = 6
"""The SDK gives a server 5 s to answer, which a machine that is busy with other tests can take."""


async def started(start: Callable[[], Awaitable[WorkflowEnvironment]]) -> WorkflowEnvironment:
    """A server of the SDK's testing module.

    The SDK ends one that did not answer in time; the next has a port of its own. The last failure is raised.
    """
    for _ in range(START_ATTEMPTS - 1):
        try:
            return await start()
        except RuntimeError as error:
            if "did not start within" not in str(error):
                raise
    return await start()


@pytest.fixture(scope="session")
def temporal_ui_port() -> int:
    """Where the pages of ``temporal_env`` are served."""
    with socket.socket() as probe:
        probe.bind((temporal.HOST, 0))
        port: int = probe.getsockname()[1]
    return port


async def plain_server() -> WorkflowEnvironment:
    """Temporal's own development server, as everybody starts it: nothing of ours is registered."""
    binary = str(temporal.binary(None, None))
    return await started(partial(WorkflowEnvironment.start_local, dev_server_existing_path=binary))


@pytest.fixture(scope="session")
async def temporal_env(temporal_ui_port: int) -> AsyncIterator[WorkflowEnvironment]:
    """The development server with the flags of the embedded engine, in memory, attributes registered."""
    start = partial(
        WorkflowEnvironment.start_local,
        ui=True,
        ui_port=temporal_ui_port,
        dev_server_existing_path=str(temporal.binary(None, None)),
        dev_server_extra_args=list(temporal.tuning()),
        plugins=[STRICT_PLUGIN],
    )
    async with await started(start) as env:
        await prepare.search_attributes(env.client)
        yield env


@asynccontextmanager
async def time_skipping() -> AsyncIterator[WorkflowEnvironment]:
    """A time-skipping server: one clock for all of it, no schedules, no search.

    An activity that has not ended when its workflow does holds its clock; a test that leaves one has a server
    of its own.
    """
    start = partial(
        WorkflowEnvironment.start_time_skipping,
        test_server_existing_path=str(Path(sysconfig.get_path("scripts")) / TEST_SERVER),
        plugins=[STRICT_PLUGIN],
    )
    async with await started(start) as env:
        # This server cannot list what it knows, so ``prepare`` cannot ask what is missing.
        await env.client.operator_service.add_search_attributes(
            AddSearchAttributesRequest(
                namespace=env.client.namespace, search_attributes=prepare.SEARCH_ATTRIBUTES
            )
        )
        yield env


@pytest.fixture(scope="session")
async def time_skipping_env() -> AsyncIterator[WorkflowEnvironment]:
    """The time-skipping server that tests share."""
    async with time_skipping() as env:
        yield env
