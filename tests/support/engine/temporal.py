"""Real Temporal servers for tests: the tuned development server and the time-skipping one."""

import socket
import subprocess
import sysconfig
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO

import pytest
from temporalio.api.operatorservice.v1 import AddSearchAttributesRequest
from temporalio.testing import WorkflowEnvironment

from workers.engine import temporal
from workers.engine.server_probe import silent, temporal_probe
from workers.preparing import temporal as prepare
from workers.temporal_plugin import STRICT_PLUGIN

TEST_SERVER = "temporal-test-server"
ONE_PARTITION = ("matching.numTaskqueueReadPartitions=1", "matching.numTaskqueueWritePartitions=1")
"""Tests have queues of their own, each of which the server would split in four: a fifth of its work."""
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


@dataclass(frozen=True)
class TemporalServer:
    """A development server: where it answers, where its pages are, and the namespace to use."""

    address: str
    ui_port: int
    namespace: str


@contextmanager
def running_server(namespaces: Sequence[str] = ("default",)) -> Iterator[TemporalServer]:
    """The development server with the flags of the embedded engine, in memory, with these namespaces."""
    port, ui_port = free_port(), free_port()
    server = TemporalServer(f"{temporal.HOST}:{port}", ui_port, namespaces[0])
    command = (
        *(str(temporal.binary(None, None)), "server", "start-dev", "--ip", temporal.HOST),
        *("--port", str(port), "--ui-port", str(ui_port), "--log-level", "error"),
        *(part for name in namespaces for part in ("--namespace", name)),
        *temporal.tuning(),
        *(part for value in ONE_PARTITION for part in ("--dynamic-config-value", value)),
    )
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        try:
            _await_answer(port, process, log)
            yield server
        finally:
            process.kill()
            process.wait(30)


def _await_answer(port: int, process: subprocess.Popen[bytes], log: IO[bytes]) -> None:
    # Its port is open before it takes requests.
    while silent({"": temporal_probe(temporal.HOST, lambda: port)}, patience_s=0.5):
        # There is no event to wait for: a short wait on the process doubles as the pause.
        with suppress(subprocess.TimeoutExpired):
            process.wait(0.05)
            log.seek(0)
            raise RuntimeError(f"Temporal ended at once:\n{log.read().decode(errors='replace')}")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind((temporal.HOST, 0))
        port: int = probe.getsockname()[1]
    return port


async def plain_server() -> WorkflowEnvironment:
    """Temporal's own development server, as everybody starts it: nothing of ours is registered."""
    binary = str(temporal.binary(None, None))
    return await started(partial(WorkflowEnvironment.start_local, dev_server_existing_path=binary))


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
