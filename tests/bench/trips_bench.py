"""The cost of each trip of a person: git processes started, and source files of ours in which code ran.

Commands run in a thread of this process, the front room; the workers run in its main thread and their own.
What runs beside a trip, such as the reading of a finished text, is left out.
``python -m tests.bench.trips_bench`` also prints each git process, with the calls of ours that led to it.
"""

import asyncio
import inspect
import io
import signal
import sys
import tempfile
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any, Final, TypeVarTuple

from temporalio import activity, workflow
from temporalio.client import Client
from typer.main import get_command

from gateway.cli import output, program
from gateway.desk.installed_services import InstalledServices
from penwright.adapters.models.demo.topics import claims_about
from tests.bench.engine import BenchEngine, running_engine
from tests.bench.report import Row, say
from tests.support.scenes.playhouse import build_scene
from workers.processes.activities import run_activities
from workers.processes.models import run_models
from workers.processes.workflows import run_workflows
from workers.settings import load

_Given = TypeVarTuple("_Given")
_TOP: Final = Path(__file__).parents[2]
_ROOMS: Final = tuple(
    f"{_TOP / room}/" for room in ("schemas", "penwright", "activities", "workflows", "workers", "gateway")
)
_COMMAND: Final = "command"
_FRONT: Final = (_COMMAND, "asyncio_")
"""Beginnings of the names of the front room's threads: the command's own, and those of its event loop."""
_BESIDE: Final = ("continuity/", "planning/", "scene-memory/")
"""Beginnings of the ids of workflows that run beside a trip."""
_CALLS: Final = 9
"""Calls of ours that are printed of what started a process, innermost first."""
_SESSION: Final = (30, 340)
_DECISION: Final = (15, 225)
"""Budgets: processes, and files. Those of files only hold what there is: see docs/dev/measurements.md."""
_ENVIRONMENT: Final = {
    # The engine's own workers have the usual queues, and nothing to do.
    "PENWRIGHT_WORKER__QUEUE": "trips",
    "PENWRIGHT_WORKER__REPO_QUEUE": "trips-repo",
    "PENWRIGHT_WORKER__MODEL_QUEUE": "trips-models",
    "PENWRIGHT_HEALTH__ENABLED": "false",
    "PENWRIGHT_TELEMETRY__LOG_LEVEL": "error",
    "PENWRIGHT_SCHOLARLY__SOURCES": '["recorded"]',
}
_PATIENCE_S: Final = 120
_RUNNING: Final = "ExecutionStatus = 'Running'"
_REVIEW: Final = "Write a 400-word review of how deep learning changed the prediction of protein structures."


@dataclass(frozen=True, slots=True)
class GitProcess:
    """One process of git."""

    words: tuple[str, ...]
    calls: tuple[str, ...]
    """Those of ours that led to it, innermost first."""


@dataclass
class Costs:
    """Costs in one room."""

    files: set[str] = field(default_factory=set)
    processes: list[GitProcess] = field(default_factory=list)


@dataclass
class Trip:
    """One trip and its costs."""

    name: str = ""
    budget: tuple[int, int] | None = None
    front: Costs = field(default_factory=Costs)
    workers: Costs = field(default_factory=Costs)
    beside: Costs = field(default_factory=Costs)

    @property
    def files(self) -> int:
        """Files of both rooms together."""
        return len(self.front.files | self.workers.files)

    @property
    def processes(self) -> int:
        return len(self.front.processes) + len(self.workers.processes)

    def row(self) -> Row:
        """Compare both rooms with the budget; the baseline is the front room alone."""
        most = self.budget or (self.processes, self.files)
        return Row(
            part="trips",
            measure=f"{self.name}; of it in the front room",
            found=_told(self.processes, self.files),
            baseline=_told(len(self.front.processes), len(self.front.files)),
            ratio=self.files / len(self.front.files),
            budget=f"<= {_told(*most)}" if self.budget else "none",
            within=self.processes <= most[0] and self.files <= most[1],
        )


def _told(processes: int, files: int) -> str:
    return f"{processes} git, {files} files"


class Recorder:
    """Records what runs in the watched threads as costs of the newest trip."""

    def __init__(self) -> None:
        self._trip = Trip()
        self._ours: dict[str, str] = {}
        """Name of a source file -> its path in the project; empty: it is not ours."""
        self._watches = False

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Watch this thread, and those that begin in the block."""
        self._watches = True
        sys.addaudithook(self._audit)
        threading.settrace(self._called)
        sys.settrace(self._called)
        try:
            yield
        finally:
            sys.settrace(None)
            threading.settrace(None)
            self._watches = False

    def begin(self, trip: Trip) -> None:
        """Count what runs from now on as the trip's."""
        self._trip = trip

    def _room(self) -> Costs:
        trip = self._trip
        if threading.current_thread().name.startswith(_FRONT):
            return trip.front
        return trip.beside if _workflow_id().startswith(_BESIDE) else trip.workers

    def _called(self, frame: FrameType, event: str, argument: object) -> None:
        path = self._path(frame.f_code.co_filename)
        if path and path not in (files := self._room().files) and not self._is_importing(frame):
            files.add(path)

    def _path(self, file: str) -> str:
        if (known := self._ours.get(file)) is None:
            known = str(Path(file).relative_to(_TOP)) if file.startswith(_ROOMS) else ""
            self._ours[file] = known
        return known

    def _is_importing(self, frame: FrameType | None) -> bool:
        """Whether it is the body of a module or class of ours, or called by one."""
        while frame is not None:
            if not frame.f_code.co_flags & inspect.CO_OPTIMIZED and self._path(frame.f_code.co_filename):
                return True
            frame = frame.f_back
        return False

    # Any: arguments of any event.
    def _audit(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event != "subprocess.Popen" or not self._watches:
            return
        words = [str(word) for word in arguments[1]]
        if "git" in words:
            self._room().processes.append(
                GitProcess(tuple(words[words.index("git") :]), tuple(self._calls()))
            )

    def _calls(self) -> Iterator[str]:
        frame: FrameType | None = sys._getframe(2)
        while frame is not None:
            if path := self._path(frame.f_code.co_filename):
                yield f"{path}:{frame.f_lineno} {frame.f_code.co_name}"
            frame = frame.f_back


def _workflow_id() -> str:
    """Id of the workflow that this code is a part of, or whose activity it is; empty if there is none."""
    if activity.in_activity():
        return activity.info().workflow_id or ""
    return workflow.info().workflow_id if workflow.in_workflow() else ""


class House:
    """Commands, and a book, a novel and a scene for them."""

    def __init__(self, environ: Mapping[str, str], folder: Path, recorder: Recorder, client: Client) -> None:
        self._services = InstalledServices(environ)
        self._folder = folder
        self._recorder = recorder
        self._client = client

    async def trips(self) -> list[Trip]:
        """Make all trips, after a first session of another book."""
        await self._command("book", "init", self._at("warm"))
        await self._command("book", "session", self._at("warm"))
        return [*await self._of_book(), *await self._of_novel(), await self._of_scene()]

    async def _of_book(self) -> list[Trip]:
        book = self._at("book")
        await self._command("book", "init", book)
        return [
            await self._trip(Trip("book session, the first", _SESSION), "book", "session", book),
            await self._trip(Trip("book session, the second"), "book", "session", book),
            await self._trip(Trip("book status"), "book", "status", book),
        ]

    async def _of_novel(self) -> list[Trip]:
        novel, file = self._at("novel"), self._folder / "claims.md"
        claims = " ".join(each.sentence for each in claims_about(_REVIEW))
        file.write_text(f"# What is known\n\n{claims}\n", encoding="utf-8")
        await self._command("manuscript", "new", novel)
        await self._command("manuscript", "import", str(file), "--into", novel, "--scene", "claims")
        await self._command("cite", "scan", novel, "--scene", "claims")
        accept = Trip("a decision on a citation: accept", _DECISION)
        reject = Trip("a decision on a citation: reject", _DECISION)
        return [
            await self._trip(accept, "cite", "accept", novel, "--scene", "claims", "-n", "1"),
            await self._trip(reject, "cite", "reject", novel, "--scene", "claims", "-n", "2"),
            await self._trip(Trip("manuscript write"), "manuscript", "write", novel, "-i", _REVIEW),
        ]

    async def _of_scene(self) -> Trip:
        with self._services.open_store() as store:
            scene = build_scene(store.worlds)
        return await self._trip(Trip("scene say"), "scene", "say", scene, "Who lit the lamp?")

    async def _trip(self, trip: Trip, *words: str) -> Trip:
        await self._quiet()
        self._recorder.begin(trip)
        await self._command(*words)
        self._recorder.begin(Trip())
        return trip

    async def _command(self, *words: str) -> None:
        """Run a command as a process of its own would."""
        say(f"trips: penwright {' '.join(words[:3])}")
        loop = asyncio.get_running_loop()
        ended: asyncio.Future[tuple[int, str]] = loop.create_future()

        def run() -> None:
            answer = self._ran(words)
            loop.call_soon_threadsafe(ended.set_result, answer)

        threading.Thread(target=run, name=_COMMAND, daemon=True).start()
        code, said = await ended
        if code:
            raise RuntimeError(f"{words!r} exited with {code}: {said}")

    def _ran(self, words: Sequence[str]) -> tuple[int, str]:
        said = io.StringIO()
        with redirect_stdout(said), redirect_stderr(said):
            code = output.run(get_command(program.app), "penwright", words, obj=self._services)
        return code, said.getvalue()

    async def _quiet(self) -> None:
        """Return when nothing runs any more, beside trips either."""
        async with asyncio.timeout(_PATIENCE_S):
            while [each async for each in self._client.list_workflows(_RUNNING)]:  # noqa: ASYNC110
                await asyncio.sleep(0.5)

    def _at(self, name: str) -> str:
        return str(self._folder / name)


class Loop(asyncio.SelectorEventLoop):
    """An event loop for several worker processes, each of which would replace the others' signal handlers."""

    def __init__(self) -> None:
        super().__init__()
        self.stops: list[Callable[[], object]] = []

    def add_signal_handler(self, sig: int, callback: Callable[[*_Given], object], *args: *_Given) -> None:
        if sig == signal.SIGTERM:
            self.stops.append(partial(callback, *args))


def run() -> list[Row]:
    """Make every trip and compare it with its budget."""
    return [trip.row() for trip in measure()]


def measure() -> list[Trip]:
    """Start an engine, and make every trip with workers of our own."""
    with (
        running_engine() as engine,
        tempfile.TemporaryDirectory(prefix="pw-trips-") as folder,
        asyncio.Runner(loop_factory=Loop) as runner,
    ):
        recorder = Recorder()
        with recorder.watching():
            return runner.run(_made(engine, Path(folder), recorder))


async def _made(engine: BenchEngine, folder: Path, recorder: Recorder) -> list[Trip]:
    environ = {**engine.home.environ, **_ENVIRONMENT}
    async with _at_work(environ):
        return await House(environ, folder, recorder, await engine.client()).trips()


@asynccontextmanager
async def _at_work(environ: Mapping[str, str]) -> AsyncIterator[None]:
    """All three worker processes in this one, while the block runs."""
    loaded, loop = load(environ), asyncio.get_running_loop()
    assert isinstance(loop, Loop)
    ready = [asyncio.Event() for _ in range(3)]
    running = [
        loop.create_task(run_workflows(loaded, preparing=False, on_ready=ready[0].set)),
        loop.create_task(run_activities(loaded, preparing=False, on_ready=ready[1].set)),
        loop.create_task(run_models(loaded, on_ready=ready[2].set)),
    ]
    for each in ready:
        await each.wait()
    try:
        yield
    finally:
        for stop in loop.stops:
            stop()
        await asyncio.gather(*running)


def main() -> None:
    """Print what each trip started, by room."""
    for trip in measure():
        print(f"== {trip.name}: {_told(trip.processes, trip.files)}")
        for room, costs in (("front", trip.front), ("workers", trip.workers)):
            print(f"{room}: {_told(len(costs.processes), len(costs.files))}")
            for number, each in enumerate(costs.processes, 1):
                print(f"  {number}: {_without_settings(each.words)}")
                print("".join(f"      {call}\n" for call in each.calls[:_CALLS]), end="")
            print("".join(f"  {file}\n" for file in sorted(costs.files)), end="")


def _without_settings(words: Sequence[str]) -> str:
    shown, rest = [], iter(words)
    for word in rest:
        if word == "-c":
            next(rest)
        else:
            shown.append(word)
    return " ".join(shown)


if __name__ == "__main__":
    main()
