"""Sixteen subjects of all four pipelines: alone, and beside as many that wait for servers which never answer.

Eight book sessions hang on a remote and eight agent runs on a model: both take connections and say nothing.
"""

import asyncio
import socket
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import psutil

from gateway.desk.citations import scans
from gateway.desk.engine.waits import quietly
from gateway.desk.installed_services import InstalledServices
from gateway.desk.manuscript import new_novels, runs
from gateway.desk.scene import rounds
from gateway.desk.scene.orders import RoundOptions
from gateway.desk.works.documents import Document
from penwright.adapters.store import Store
from schemas.agent_run import AgentRunInput, RunQueues
from schemas.agent_state import WHOLE_NOVEL
from tests.bench.engine import BenchEngine, running_engine
from tests.bench.report import Row, say
from tests.support.books.running_books import RunningBook, lay_out
from tests.support.scenes.playhouse import build_scene
from workers.settings import WorkerSettings

EACH, HUNG, ROUNDS = 4, 8, 3
"""Subjects of each pipeline; hung remotes, and as many hung calls; measured rounds before and after."""
BUDGET = 1.3
PATIENCE_S = 300.0
_INSTRUCTIONS = "A short essay on why published findings fail to replicate."
_CLAIMS = (
    "Most published findings fail to replicate. Small samples inflate effect sizes. "
    "Researchers rarely share their data.\n"
)
_QUEUES = WorkerSettings()

Play = Callable[[], Awaitable[object]]
"""One subject from its order to its end; raises if it does not end well."""
Times = Mapping[str, list[float]]
"""Seconds of each subject, by pipeline."""


def run(each: int = EACH, hung: int = HUNG, measured: int = ROUNDS) -> list[Row]:
    """Measure, hang the others, and measure again."""
    with (
        silent_server() as port,
        tempfile.TemporaryDirectory(prefix="pw-silent-") as folder,
        running_engine(**_settings(port)) as engine,
    ):
        house = House(engine, Path(folder), port)
        try:
            alone, beside = asyncio.run(_measured(house, each, hung, measured))
        finally:
            house.store.close()
    return [_row(pipeline, alone[pipeline], beside[pipeline]) for pipeline in alone]


def _settings(port: int) -> dict[str, str]:
    return {
        "PENWRIGHT_SCHOLARLY__SOURCES": '["recorded"]',
        "PENWRIGHT_MODELS__MUTE__MODEL": "openai/mute",
        "PENWRIGHT_MODELS__MUTE__API_BASE": f"http://127.0.0.1:{port}/v1",
        "PENWRIGHT_MODELS__MUTE__LOCAL": "true",
        "PENWRIGHT_ROLES__WRITER": "demo",
        "PENWRIGHT_ROLES__AGENT": "mute",
        # Longer than the benchmark, so that they hang to its end.
        "PENWRIGHT_MODELS__MUTE__TIMEOUT_S": "1500",
        "PENWRIGHT_BOOKS__NETWORK_TIMEOUT_S": "1500",
        "PENWRIGHT_WORKER__GRACE_S": "1",
    }


@contextmanager
def silent_server() -> Iterator[int]:
    """A port where connections are taken and nothing is ever said; yields it."""
    with socket.create_server(("127.0.0.1", 0), backlog=256) as listening:
        yield listening.getsockname()[1]


class House:
    """Lays out subjects, plays them, and hangs others."""

    def __init__(self, engine: BenchEngine, folder: Path, silent_port: int) -> None:
        self.store: Store = engine.store()
        self._services = InstalledServices(engine.home.environ)
        self._folder = folder
        self._silent_port = silent_port
        self._numbers = count(1)

    def healthy(self, each: int) -> Sequence[tuple[str, Play]]:
        """Fresh subjects of every pipeline."""
        makers = (
            ("book session", self._book),
            ("manuscript loop", self._manuscript),
            ("citation scan", self._scan),
            ("director round", self._round),
        )
        return [(pipeline, make()) for pipeline, make in makers for _ in range(each)]

    async def hang(self, number: int) -> None:
        """Start sessions with silent remotes and runs with silent models; returns when all of them wait."""
        async with self._services.engine() as engine:
            for _ in range(number):
                book = self._laid_out(remote=False)
                book.git("remote", "add", "origin", f"git://127.0.0.1:{self._silent_port}/book")
                await engine.pipelines.start(book.session("hangs", _queues_of()))
                run_id = f"mute-{next(self._numbers)}"
                await engine.agent_runs.start(
                    AgentRunInput(
                        agent="ink/editor",
                        run_id=run_id,
                        subject=book.book_id,
                        task="Look for a better title.",
                        queues=RunQueues(models=_QUEUES.model_queue, tools=_QUEUES.repo_queue),
                    )
                )
        async with asyncio.timeout(PATIENCE_S):
            while self.hanging() < 2 * number:  # noqa: ASYNC110
                await asyncio.sleep(0.2)

    def hanging(self) -> int:
        """Connections to the server that never answers."""
        return sum(
            each.raddr.port == self._silent_port
            for each in psutil.net_connections("tcp4")
            if each.raddr and each.status == psutil.CONN_ESTABLISHED
        )

    def _book(self) -> Play:
        book = self._laid_out()

        async def play() -> None:
            async with self._services.engine() as engine:
                await engine.pipelines.start(book.session("s1", _queues_of()))
                ended = await engine.pipelines.result(book.book_id)
            _expect(ended.outcome, "closed")

        return play

    def _manuscript(self) -> Play:
        found = self._novel(WHOLE_NOVEL, {})

        async def play() -> None:
            wanted = runs.LoopOptions(instructions=_INSTRUCTIONS)
            written = await runs.write(self._services, found, wanted, wait=quietly)
            _expect(written.result.outcome if written.result else None, "finished", "unfinished")

        return play

    def _scan(self) -> Play:
        found = self._novel("findings", {"findings": _CLAIMS})

        async def play() -> None:
            wish = scans.ScanWish(auto_accept=True, accepts_abstracts=True)
            scanned = await scans.scan(self._services, found, wish, wait=quietly)
            _expect(scanned.result.outcome if scanned.result else None, "done", "waiting")

        return play

    def _round(self) -> Play:
        scene = build_scene(self.store.worlds)

        async def play() -> None:
            order = RoundOptions(kind="message", text="Who lit the lamp?", who="sam")
            played = await rounds.play(self._services, scene, order, wait=quietly)
            _expect(played.result.outcome if played.result else None, "completed")

        return play

    def _laid_out(self, **options: bool) -> RunningBook:
        name = f"silent-{next(self._numbers)}"
        return lay_out(self._folder / name, name, **options)  # type: ignore[arg-type]

    def _novel(self, scene: str, texts: Mapping[str, str]) -> Document:
        path = self._folder / f"novel-{next(self._numbers)}"
        new_novels.create(self._services, path, {"title": path.name}, scenes=texts)
        return runs.document(self._services, str(path), scene)


async def _measured(house: House, each: int, hung: int, measured: int) -> tuple[Times, Times]:
    await _played(house, each, 1)
    say("silent: alone")
    alone = await _played(house, each, measured)
    await house.hang(hung)
    say(f"silent: beside {hung} silent remotes and {hung} silent models")
    beside = await _played(house, each, measured)
    if house.hanging() < 2 * hung:
        raise RuntimeError("some of what should hang went on, so nothing was measured")
    return alone, beside


async def _played(house: House, each: int, measured: int) -> Times:
    """Play fresh subjects all at once, ``measured`` times."""
    times: dict[str, list[float]] = {}
    for _ in range(measured):
        subjects = house.healthy(each)
        found = await asyncio.gather(*(_timed(play) for _, play in subjects))
        for (pipeline, _), took_s in zip(subjects, found, strict=True):
            times.setdefault(pipeline, []).append(took_s)
        times.setdefault("all at once", []).append(max(found))
    return times


async def _timed(play: Play) -> float:
    began = time.perf_counter()
    await play()
    return time.perf_counter() - began


def _row(pipeline: str, alone: Sequence[float], beside: Sequence[float]) -> Row:
    base, found = statistics.median(alone), statistics.median(beside)
    return Row(
        part="silent",
        measure=f"{pipeline}, median of {len(beside)}; without those that hang",
        found=f"{found:.2f} s",
        baseline=f"{base:.2f} s",
        ratio=found / base,
        budget=f"<= {BUDGET}x",
        within=found / base <= BUDGET,
    )


def _queues_of() -> Mapping[str, str]:
    return {
        "PENWRIGHT_WORKER__REPO_QUEUE": _QUEUES.repo_queue,
        "PENWRIGHT_WORKER__MODEL_QUEUE": _QUEUES.model_queue,
    }


def _expect(found: object, *wanted: str) -> None:
    if found not in wanted:
        raise RuntimeError(f"it ended as {found!r} and not as {' or '.join(wanted)}")
