"""A real engine for tests: its own home, its own supervisor, and ways to look at its processes."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import psutil

from workers.engine.movement import Movement
from workers.engine.stuck_detector import StuckDetector
from workers.home.folder import Home, Record
from workers.settings import LONGEST_START_S, Loaded, load

PATIENCE_S = 60.0
POLL_S = 0.02
INHERITED = ("PATH", "HOME", "LANG", "TMPDIR", "PYTHONPATH")
"""The last one, because a working copy beside the installed one is tested by it."""


@dataclass(frozen=True)
class EngineHome:
    """A data directory and the environment that points at it."""

    folder: Path
    environ: dict[str, str]

    @property
    def home(self) -> Home:
        return Home(self.folder)

    @property
    def loaded(self) -> Loaded:
        return load(self.environ)

    def record(self) -> Record:
        """The record, which must be there."""
        found = self.home.read()
        assert found is not None
        return found

    def child(self, name: str) -> psutil.Process:
        """The process of one child, which must run."""
        pid = self.record().children[name].pid
        assert pid is not None
        return psutil.Process(pid)

    def cli(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run ``penwright`` with these words."""
        return subprocess.run(
            [sys.executable, "-m", "gateway", *words],
            env=self.environ,
            capture_output=True,
            text=True,
            timeout=LONGEST_START_S + PATIENCE_S,
            check=False,
        )

    def supervisor(self) -> subprocess.Popen[str]:
        """Run the supervisor as our own child, so that a test may kill it."""
        return subprocess.Popen(
            [sys.executable, "-P", "-m", "workers", "engine"],
            env=self.environ,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )

    def await_ready(self, *, pid: int) -> Record:
        """The record of supervisor ``pid`` once it is ready."""
        patience = Patience(pid, self.home.log("engine"))
        while not ((r := self.home.read()) is not None and r.pid == pid and r.state == "ready"):
            patience.check("the engine is not ready")
            time.sleep(POLL_S)
        return self.record()

    def await_restarted(self, name: str, *, old: int) -> psutil.Process:
        """The new process of a child whose old one was killed, once it is ready."""

        def renewed() -> bool:
            child = self.record().children.get(name)
            return child is not None and child.state == "ready" and child.pid not in (None, old)

        patience = Patience(self.record().pid, self.home.log("engine"))
        while not renewed():
            patience.check(f"{name} is not started again")
            time.sleep(POLL_S)
        return self.child(name)

    def remove(self) -> None:
        """End the processes of this home and remove its folder."""
        holder = self.home.holder()
        if holder is not None:
            holder.send_signal(signal.SIGTERM)
            holder.wait(PATIENCE_S)
        shutil.rmtree(self.folder, ignore_errors=True)


def engine_home(**environ: str) -> EngineHome:
    """A fresh home under a short path, without a workspace; no keys and no settings but these."""
    folder = Path(tempfile.mkdtemp(prefix="pw-"))
    kept = {name: os.environ[name] for name in INHERITED if name in os.environ}
    # The workspace takes seconds to start; tests that want it switch it on.
    quiet = {"PENWRIGHT_CONFIG": "", "PENWRIGHT_WEB__ENABLED": "false"}
    return EngineHome(folder, {**kept, "PENWRIGHT_HOME": str(folder), **quiet, **environ})


class Patience:
    """Waits for a process as long as it moves, up to ten minutes, however slow the machine is."""

    def __init__(self, pid: int, log: Path) -> None:
        self._movement, self._detector = Movement(pid, log), StuckDetector(0, PATIENCE_S)
        self._deadline = time.monotonic() + LONGEST_START_S

    def check(self, what: str) -> None:
        """Fail once the process stands still for a minute; to be called every few seconds."""
        if self._movement.moved():
            self._detector.progressed()
        still = self._detector.too_long(starting=True)
        assert not still, f"{what}, and it stands still"
        assert time.monotonic() < self._deadline, f"{what} after ten minutes"


def until(condition: Callable[[], bool], *, patience_s: float = PATIENCE_S) -> None:
    """Wait for something that another process does and that no event of ours announces."""
    deadline = time.monotonic() + patience_s
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(POLL_S)
