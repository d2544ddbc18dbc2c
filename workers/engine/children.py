"""One supervised child: started, watched, started again, given up after too many quick deaths."""

import os
import signal
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field

from workers.engine import processes
from workers.engine.home import ChildRecord
from workers.engine.processes import Program

QUICK_S = 10.0
"""A child that dies younger than this died quickly."""
MOST_QUICK_DEATHS = 6
MOST_DEAD_STARTS = 3
"""The same for a child that was never ready: it will not mend itself."""
FIRST_PAUSE_S = 0.1
LONGEST_PAUSE_S = 5.0


@dataclass
class Child:
    """A process and its history. ``make`` is asked for the program before every start."""

    name: str
    make: Callable[[], Program]
    ready: Callable[["Child"], bool]
    """Whether a started child does its work; asked until it says yes."""
    essential: bool = True
    """The engine cannot go on without it."""
    state: str = "waiting"
    restarts: int = -1
    was_ready: bool = False
    """Whether it ever was, in any life."""
    process: subprocess.Popen[bytes] | None = None
    program: Program | None = None
    started: float | None = None
    due: float = 0.0
    quick_deaths: int = 0
    notice: int | None = field(default=None, repr=False)
    """Reading end of the pipe on which a worker says that it is ready."""

    @property
    def pid(self) -> int | None:
        return self.process.pid if self.process else None

    def look(self, now: float) -> None:
        """Start it if it is due, notice that it is ready, notice that it died."""
        if self.process is None:
            if self.state == "waiting" and now >= self.due:
                self._start(now)
            return
        if self.process.poll() is not None:
            self._died(now)
        elif self.state == "starting" and self.ready(self):
            self.state, self.was_ready = "ready", True

    def record(self) -> ChildRecord:
        """What people see of it."""
        return ChildRecord(
            state=self.state, pid=self.pid, started=self.started, restarts=max(0, self.restarts)
        )

    def ask_to_stop(self) -> None:
        """Without waiting, so that several can stop at once."""
        if self.process and self.program and self.process.poll() is None:
            self.process.send_signal(self.program.stop_signal)

    def wait_stopped(self, patience_s: float) -> None:
        """Wait for it to end; then it is killed."""
        if self.process is None:
            return
        try:
            self.process.wait(patience_s)
        except subprocess.TimeoutExpired:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
        self._forget_notice()
        self.process, self.state = None, "stopped"

    def said_ready(self) -> bool:
        """Whether the worker wrote its line."""
        if self.notice is None:
            return False
        try:
            return bool(os.read(self.notice, 64))
        except BlockingIOError:
            return False

    def listen(self) -> int:
        """Open the pipe of a new life; returns the end that the child keeps. The caller closes it."""
        self._forget_notice()
        reading, writing = os.pipe()
        os.set_blocking(reading, False)
        self.notice = reading
        return writing

    def _start(self, now: float) -> None:
        self.program = self.make()
        try:
            self.process = processes.spawn(self.program)
        finally:
            for descriptor in self.program.closes:
                os.close(descriptor)
        self.state, self.started = "starting", now
        self.restarts += 1

    def _died(self, now: float) -> None:
        lived = now - (self.started or now)
        hopeless = lived < QUICK_S or not self.was_ready
        self.quick_deaths = self.quick_deaths + 1 if hopeless else 0
        self._forget_notice()
        self.process, self.state = None, "waiting"
        self.due = now + min(LONGEST_PAUSE_S, FIRST_PAUSE_S * 2.0**self.quick_deaths)
        if self.quick_deaths >= (MOST_QUICK_DEATHS if self.was_ready else MOST_DEAD_STARTS):
            self.state = "given up"

    def _forget_notice(self) -> None:
        if self.notice is not None:
            os.close(self.notice)
            self.notice = None
