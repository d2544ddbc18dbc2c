"""A stand for the pipelines: real Temporal, real PostgreSQL, and as many crews of workers as a test wants."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import pytest
from temporalio.client import Client
from temporalio.testing import WorkflowEnvironment

from gateway.desk.engine.temporal.editing import TemporalEditors
from gateway.desk.engine.temporal.pipelines import TemporalPipelines
from penwright.adapters.clock import SystemClock
from penwright.adapters.models.scripted import Script, ScriptedAnswer
from penwright.adapters.store import Store, open_store
from schemas.book_session import BookSessionInput, BookSessionResult
from tests.support.crash.points import CrashPoint
from tests.support.engine.crew import Crew, crew
from tests.support.engine.postgres import Template

_numbers = count(1)


@dataclass(frozen=True)
class Stand:
    """One engine without workers."""

    address: str
    database_url: str
    client: Client
    store: Store

    def environ(self, folder: Path, name: str, **more: str) -> dict[str, str]:
        """Settings of a crew with queues of its own, whose models play the script in ``folder``."""
        folder.mkdir(parents=True, exist_ok=True)
        return {
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "HOME": str(folder),
            "PENWRIGHT_HOME": str(folder / "home"),
            "PENWRIGHT_CONFIG": "",
            "TEMPORAL_ADDRESS": self.address,
            "TEMPORAL_NAMESPACE": self.client.namespace,
            "PENWRIGHT_DATABASE_URL": self.database_url,
            "PENWRIGHT_WORKER__QUEUE": f"main-{name}",
            "PENWRIGHT_WORKER__REPO_QUEUE": f"repo-{name}",
            "PENWRIGHT_WORKER__MODEL_QUEUE": f"models-{name}",
            "PENWRIGHT_WORKER__ACTIVITIES": "2",
            "PENWRIGHT_WORKER__REPO_ACTIVITIES": "2",
            "PENWRIGHT_WORKER__MODEL_ACTIVITIES": "2",
            "PENWRIGHT_MODELS__SCRIPTED__PROVIDER": "scripted",
            "PENWRIGHT_MODELS__SCRIPTED__LOCAL": "true",
            "PENWRIGHT_MODELS__SCRIPTED__SCRIPT": str(folder / "script.json"),
            "PENWRIGHT_ROLES__WRITER": "scripted",
            "PENWRIGHT_ROLES__MANUSCRIPT": "demo",
            **more,
        }

    def pipelines(self, environ: dict[str, str]) -> TemporalPipelines:
        """The front door's own way to the pipelines."""
        return TemporalPipelines(self.client, environ["PENWRIGHT_WORKER__QUEUE"])

    def editors(self, environ: dict[str, str]) -> TemporalEditors:
        """The front door's own way to the editing of scenes."""
        return TemporalEditors(self.client, environ["PENWRIGHT_WORKER__QUEUE"])


@dataclass(frozen=True)
class Desk:
    """A working crew, its settings and its script."""

    stand: Stand
    folder: Path
    environ: dict[str, str]
    crew: Crew

    @property
    def pipelines(self) -> TemporalPipelines:
        return self.stand.pipelines(self.environ)

    @property
    def script(self) -> Path:
        return self.folder / "script.json"

    def says(self, *answers: ScriptedAnswer) -> None:
        """Set the answers of the models from now on."""
        self.script.write_text(Script(answers=answers).model_dump_json(), encoding="utf-8")

    async def run(self, given: BookSessionInput) -> BookSessionResult:
        """One session from start to end."""
        await self.pipelines.start(given)
        return await self.pipelines.result(given.book_id)


@asynccontextmanager
async def desk(
    stand: Stand, folder: Path, *, crash: CrashPoint | None = None, **environ: str
) -> AsyncIterator[Desk]:
    """A crew at work in ``folder``."""
    settings = stand.environ(folder, f"{next(_numbers)}-{folder.name}", **environ)
    async with crew(folder / "crew", settings, crash=crash) as working:
        yield Desk(stand, folder, settings, working)


@pytest.fixture(scope="session")
def stand_database(database_template: Template) -> Iterator[str]:
    """One migrated database for all stands of this process; books keep apart by their ids."""
    name = database_template.copy()
    yield database_template.url(name)
    database_template.drop(name)


@pytest.fixture(scope="session")
async def stand(temporal_env: WorkflowEnvironment, stand_database: str) -> AsyncIterator[Stand]:
    """The engine that all tests of this process share."""
    store = open_store(stand_database, clock=SystemClock())
    address = temporal_env.client.service_client.config.target_host
    yield Stand(address, stand_database, temporal_env.client, store)
    store.close()
