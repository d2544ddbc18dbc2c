"""SIGKILL processes of a supervised engine under running sessions: it revives them, the books agree."""

import asyncio
import os
import random
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest
from temporalio.client import Client
from temporalio.service import RPCError

from gateway.desk.engine.temporal.pipelines import TemporalPipelines
from penwright.adapters.models.scripted import Script
from penwright.errors import EngineUnavailable
from schemas.base import BookId
from schemas.book_session import BookSessionResult
from tests.support.books.running_books import RunningBook, lay_out
from tests.support.crash.session_summary import SessionSummary, summarise_session
from tests.support.engine.crew import KINDS
from tests.support.engine.desk import answers
from tests.support.engine.home import EngineHome, engine_home
from workers.client import connect
from workers.processes.worker import blobs_of

pytestmark = [
    pytest.mark.crash,
    pytest.mark.server,
    pytest.mark.xdist_group("engine"),
    pytest.mark.timeout(900),
]

LONG = os.environ.get("PENWRIGHT_CRASH") == "long"
KILLS = 10 if LONG else 2
PROCESSES = ("temporal", "postgres", *(KINDS if LONG else ()))
"""The short form kills worker processes elsewhere, without an engine of its own."""
BOOKS = 4
"""Sessions that run at the time of each kill, each at another step."""
SEED = 20260222
PATIENCE_S = 120
LIFE_S = 10.5 if LONG else 0.0
"""A supervisor gives up a child that dies younger than ten seconds many times in a row, and is right to."""
QUEUES = {
    "PENWRIGHT_WORKER__REPO_QUEUE": "penwright-repo",
    "PENWRIGHT_WORKER__MODEL_QUEUE": "penwright-models",
}


@dataclass
class SupervisedEngine:
    """A supervised engine and a book one session old."""

    engine: EngineHome
    client: Client
    young: RunningBook
    folder: Path
    sessions: int = 0

    @property
    def pipelines(self) -> TemporalPipelines:
        return TemporalPipelines(self.client, "penwright")

    @property
    def database_url(self) -> str:
        url = self.engine.record().database_url
        assert url is not None
        return url

    async def session(self, name: str = "s2", delay: float = 0) -> tuple[RunningBook, BookSessionResult]:
        """One session of a fresh copy of the book, insisting like a person whose engine was restarted."""
        self.sessions += 1
        book_id = BookId(f"served-{self.sessions}")
        book = self.young.copy(self.folder / book_id, book_id)
        await asyncio.sleep(delay)
        return book, await self.insist(book, name)

    def summary(self, ended: tuple[RunningBook, BookSessionResult]) -> SessionSummary:
        """Summarise an ended session; the database must be up."""
        return summarise_session(*ended, self.database_url)

    async def insist(self, book: RunningBook, name: str) -> BookSessionResult:
        started = False
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            with suppress(EngineUnavailable, RPCError):
                if not started and await self.pipelines.progress(book.book_id) is None:
                    await self.pipelines.start(book.session(name, QUEUES))
                started = True
                return await self.pipelines.result(book.book_id)
            await asyncio.sleep(0.2)
        raise AssertionError(f"{book.book_id} did not end in time")


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EngineHome]:
    script = tmp_path_factory.mktemp("script") / "script.json"
    script.write_text(Script(answers=tuple(answers())).model_dump_json(), encoding="utf-8")
    made = engine_home(
        PENWRIGHT_MODELS__SCRIPTED__PROVIDER="scripted",
        PENWRIGHT_MODELS__SCRIPTED__LOCAL="true",
        PENWRIGHT_MODELS__SCRIPTED__SCRIPT=str(script),
        PENWRIGHT_ROLES__WRITER="scripted",
    )
    started = made.cli("up", "--detach")
    assert started.returncode == 0, started.stderr
    yield made
    made.remove()


@pytest.fixture(scope="module")
async def supervised(engine: EngineHome, tmp_path_factory: pytest.TempPathFactory) -> SupervisedEngine:
    folder = tmp_path_factory.mktemp("served")
    settings = engine.loaded.settings
    client = await connect(settings, blobs=blobs_of(settings))
    young = lay_out(folder / "young", "served-young", target=1000)
    made = SupervisedEngine(engine, client, young, folder)
    assert (await made.insist(young, "s1")).outcome == "closed"
    return made


@pytest.mark.parametrize("process", PROCESSES)
async def test_a_killed_process_of_the_engine_changes_nothing(
    supervised: SupervisedEngine, process: str
) -> None:
    instants = random.Random(f"{SEED} {process}")
    original = supervised.summary(await supervised.session())
    began = time.monotonic()

    for _ in range(KILLS):
        victim = supervised.engine.child(process)
        await asyncio.sleep(LIFE_S - (time.time() - victim.create_time()))
        running = [asyncio.ensure_future(supervised.session(delay=0.2 * number)) for number in range(BOOKS)]
        await asyncio.sleep(instants.uniform(0.2, 1.5))
        victim.kill()
        ended = await asyncio.gather(*running)
        await asyncio.to_thread(supervised.engine.await_restarted, process, old=victim.pid)

        assert [supervised.summary(each).differences(original) for each in ended] == [[]] * BOOKS

    print(f"\n{process} killed {KILLS} times under {BOOKS} sessions in {time.monotonic() - began:.0f} s")
