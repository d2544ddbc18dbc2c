"""Commands about runs of agents, given to a real Temporal server whose worker lives in this process."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from temporalio.client import Client
from typer.main import get_command

from gateway.cli import output
from gateway.cli import program as cli
from gateway.desk.disclosure import Disclosure, disclosure
from gateway.desk.engine.connection import Engine
from gateway.desk.engine.temporal.agent_runs import TemporalAgentRuns
from gateway.desk.services import PipelineDefaults
from penwright.adapters.models.scripted import ScriptedAnswer
from tests.support.gateway.services import StageServices
from tests.support.workflows.librarian import Library, library
from workers.settings import load
from workers.temporal_plugin import STRICT_PLUGIN


class LibraryServices(StageServices):
    """Services to a library at work: its queue, its store, its server."""

    def __init__(self, here: Library, environ: Mapping[str, str]) -> None:
        super().__init__()
        self.here = here
        self.store = here.store
        self.environ = environ

    def defaults(self) -> PipelineDefaults:
        return replace(super().defaults(), repo_queue=self.here.queue, model_queue=self.here.queue)

    @asynccontextmanager
    async def engine(self) -> AsyncIterator[Engine]:
        self._refuse_when_down()
        # A command has a loop of its own, and so a client of its own.
        here = self.here.client
        target = here.service_client.config.target_host
        client = await Client.connect(target, namespace=here.namespace, plugins=[STRICT_PLUGIN])
        yield replace(self.connected(), agents=TemporalAgentRuns(client, self.here.queue))

    def disclosure(self) -> Disclosure:
        return disclosure(load(self.environ, folder=Path("/nowhere")))


class Desk:
    """A library, and ``penwright`` in front of it."""

    def __init__(self, here: Library, capsys: pytest.CaptureFixture[str], environ: Mapping[str, str]) -> None:
        self.here = here
        self.services = LibraryServices(here, environ)
        self._capsys = capsys

    async def run(self, *arguments: str) -> tuple[int, str, str]:
        """Exit code, stdout and stderr of a command."""
        self._capsys.readouterr()
        command = get_command(cli.app)
        code = await asyncio.to_thread(output.run, command, "penwright", arguments, obj=self.services)
        out, err = self._capsys.readouterr()
        return code, out, err


@asynccontextmanager
async def desk(
    client: Client,
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    *answers: ScriptedAnswer,
    pages: Mapping[str, str] | None = None,
    environ: Mapping[str, str] | None = None,
) -> AsyncIterator[Desk]:
    """A worker with a model that replies ``answers``; ``environ``: what commands see of the environment."""
    async with library(client, folder, *answers, pages=pages) as here:
        yield Desk(here, capsys, {"PENWRIGHT_CONFIG": "", **(environ or {})})


# Any: JSON.
async def until_listed(at: Desk, run_id: str, status: str) -> Mapping[str, Any]:
    """The line of the list with that status; the server lists beginnings and ends with a little delay."""
    async with asyncio.timeout(30), at.services.engine() as engine:
        while True:
            for found in await engine.agent_runs.listed(limit=1000):
                if (found.run_id, found.status) == (run_id, status):
                    return {"agent": found.agent, "status": found.status}
            await asyncio.sleep(0.05)
