"""Real Temporal servers for tests: the tuned development server and the time-skipping one."""

import sysconfig
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from temporalio.api.operatorservice.v1 import AddSearchAttributesRequest
from temporalio.testing import WorkflowEnvironment

from workers import prepare
from workers.engine import temporal
from workers.temporal_plugin import STRICT_PLUGIN

TEST_SERVER = "temporal-test-server"


@pytest.fixture(scope="session")
async def temporal_env() -> AsyncIterator[WorkflowEnvironment]:
    """The development server with the flags of the embedded engine, in memory, attributes registered."""
    async with await WorkflowEnvironment.start_local(
        dev_server_existing_path=str(temporal.binary(None, None)),
        dev_server_extra_args=list(temporal.tuning()),
        plugins=[STRICT_PLUGIN],
    ) as env:
        await prepare.search_attributes(env.client)
        yield env


@pytest.fixture(scope="session")
async def time_skipping_env() -> AsyncIterator[WorkflowEnvironment]:
    """The time-skipping server: one clock for all of it, no schedules, no search."""
    async with await WorkflowEnvironment.start_time_skipping(
        test_server_existing_path=str(Path(sysconfig.get_path("scripts")) / TEST_SERVER),
        plugins=[STRICT_PLUGIN],
    ) as env:
        # This server cannot list what it knows, so ``prepare`` cannot ask what is missing.
        await env.client.operator_service.add_search_attributes(
            AddSearchAttributesRequest(
                namespace=env.client.namespace, search_attributes=prepare.SEARCH_ATTRIBUTES
            )
        )
        yield env
