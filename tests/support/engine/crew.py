"""Worker processes that serve one set of queues, may be killed at any time, and are started again."""

import asyncio
import multiprocessing
import os
import signal
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path

import psutil

from tests.crash.worker import ProcessKind, work
from tests.support.crash.points import CrashPoint
from tests.support.engine.home import Patience, until

KINDS: tuple[ProcessKind, ...] = ("workflows", "activities", "models")
READY_S = 60.0
LOOK_S = 2.0

# Forked from a process that has imported everything and runs nothing: a start takes milliseconds.
_NURSERY = multiprocessing.get_context("forkserver")
_NURSERY.set_forkserver_preload(["tests.crash.worker", "penwright.adapters.models"])


@dataclass
class Crew:
    """One process of each of ``kinds``."""

    folder: Path
    environ: Mapping[str, str]
    crash: CrashPoint | None = None
    kinds: Sequence[ProcessKind] = KINDS
    deaths: list[ProcessKind] = field(default_factory=list)
    """Processes that were killed or stopped, in order."""
    living: dict[ProcessKind, BaseProcess] = field(default_factory=dict)
    _tending: dict[ProcessKind, "asyncio.Task[None]"] = field(default_factory=dict)
    _stopping: bool = False

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)

    async def start(self) -> None:
        """Start all and wait until the server has seen them ask for work."""
        await asyncio.gather(*(self._start(kind) for kind in self.kinds))
        for kind in self.kinds:
            self._tending[kind] = asyncio.create_task(self._tend(kind))

    def kill(self, kind: ProcessKind) -> None:
        """SIGKILL one of them."""
        process = self.living[kind]
        if process.pid is not None and process.is_alive():
            os.kill(process.pid, signal.SIGKILL)

    async def stopped(self, kind: ProcessKind) -> None:
        """Return when the process is stopped (not ended)."""
        process = psutil.Process(self.living[kind].pid)
        await asyncio.to_thread(until, lambda: process.status() == psutil.STATUS_STOPPED)

    async def wake_to_retire(self, kind: ProcessKind) -> None:
        """Wake a stopped process, and let it finish what it was doing before it ends."""
        self._tending[kind].cancel()
        process = self.living[kind]
        assert process.pid is not None
        os.kill(process.pid, signal.SIGCONT)
        os.kill(process.pid, signal.SIGTERM)
        await asyncio.to_thread(process.join, READY_S)
        assert process.exitcode == 0, self._last_words(kind)

    def dismiss(self, kind: ProcessKind) -> BaseProcess:
        """Stop supervising a process; the caller takes over."""
        self._tending[kind].cancel()
        return self.living[kind]

    async def stop(self) -> None:
        """End all at once; their unfinished work is abandoned."""
        self._stopping = True
        for task in self._tending.values():
            task.cancel()
        for kind, process in self.living.items():
            self.kill(kind)
            await asyncio.to_thread(process.join, 30)
            process.close()

    async def _start(self, kind: ProcessKind) -> None:
        listening, speaking = _NURSERY.Pipe(duplex=False)
        with listening:
            with speaking:
                self.living[kind] = self._spawn(kind, speaking)
            # Its death closes the pipe, so that this ends either way.
            waiting = asyncio.ensure_future(_readable(listening.fileno()))
            patience = Patience(self.living[kind].pid or 0, self.folder / f"{kind}.log")
            while not (await asyncio.wait([waiting], timeout=LOOK_S))[0]:
                patience.check(f"{kind} is not ready")

    def _spawn(self, kind: ProcessKind, notice: Connection) -> BaseProcess:
        crash = (self.crash, self.folder / "crashed") if self.crash else None
        log = self.folder / f"{kind}.log"
        process = _NURSERY.Process(target=work, args=(kind, dict(self.environ), log, notice, crash))
        process.daemon = True
        process.start()
        return process

    async def _tend(self, kind: ProcessKind) -> None:
        """Start a process again whenever it dies, as the engine's supervisor would."""
        while not self._stopping:
            process = self.living[kind]
            await _readable(process.sentinel)
            process.join()
            # A process returns from SIGTERM in order, or when its grace period ends on a busy machine.
            words = self._last_words(kind)
            assert process.exitcode in (-signal.SIGKILL, 0) or "ends without waiting longer" in words, words
            process.close()
            self.deaths.append(kind)
            await self._start(kind)

    def _last_words(self, kind: ProcessKind) -> str:
        return (self.folder / f"{kind}.log").read_text(encoding="utf-8")[-2000:]


@asynccontextmanager
async def crew(
    folder: Path,
    environ: Mapping[str, str],
    *,
    crash: CrashPoint | None = None,
    kinds: Sequence[ProcessKind] = KINDS,
) -> AsyncIterator[Crew]:
    """A crew for as long as the block runs."""
    working = Crew(folder, environ, crash, kinds)
    try:
        await working.start()
        yield working
    finally:
        await working.stop()


async def _readable(descriptor: int) -> None:
    """Return when ``descriptor`` has something to say; a process's sentinel says that it ended."""
    loop = asyncio.get_running_loop()
    happened = asyncio.Event()
    loop.add_reader(descriptor, happened.set)
    try:
        await happened.wait()
    finally:
        with suppress(ValueError):
            loop.remove_reader(descriptor)
