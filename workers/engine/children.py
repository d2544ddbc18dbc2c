"""One supervised child: started, watched, started again, given up after too many quick deaths."""

import os
import signal
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from workers.engine import processes
from workers.engine.movement import Movement
from workers.engine.processes import Program
from workers.engine.server_probe import ServerProbe
from workers.engine.stuck_detector import StuckDetector
from workers.health.liveness import LivenessReader, LivenessReport
from workers.home.folder import ChildRecord, DrainReport
from workers.settings import LONGEST_START_S

QUICK_S = 10.0
"""A child that dies younger than this died quickly."""
MOST_QUICK_DEATHS = 6
MOST_DEAD_STARTS = 3
"""The same for a child that was never ready: it does not recover by itself."""
FIRST_PAUSE_S = 0.1
LONGEST_PAUSE_S = 5.0
NO_ANSWER = "no-answer"
NO_ANSWER_S = 5.0
"""Seconds for which a process may answer and report nothing before it counts as not ready."""
DUMP_S = 1.0
"""Time a stuck child may take to dump its stack."""


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
    stuck_detector: StuckDetector = field(default_factory=lambda: StuckDetector(0, 0))
    """Measures how long it shows no progress."""
    reports: bool = False
    """It writes liveness reports."""
    probe: ServerProbe | None = field(default=None, repr=False)
    """Asks whether it answers, once it is ready; for a process that writes no reports."""
    waits_for: Sequence["Child"] = ()
    """Its start can stand still until these are ready."""
    stuck: int = 0
    """Number of times it was ended for that."""
    stood_at: str = ""
    """The step of its start at which it was ended; empty once it is ready."""
    silent_since: float | None = None
    """When it was last heard of, in seconds since the epoch; None unless that is too long ago."""
    pulse: LivenessReport = field(default_factory=LivenessReport)
    """Last liveness report of the worker."""
    log_before: int = 0
    """Bytes that earlier engines have left in its log."""
    hearing: LivenessReader | None = field(default=None, repr=False)
    """The pipe on which it says that."""
    _movement: Movement | None = field(default=None, repr=False)
    _said_ready: bool = False
    _ends_at: float | None = None

    @property
    def pid(self) -> int | None:
        return self.process.pid if self.process else None

    def look(self, now: float) -> None:
        """Start it if it is due, notice that it is ready, notice that it died."""
        if self.process is None:
            if self.state == "waiting" and now >= self.due:
                self._start(now)
            return
        self.hear()
        if self.state == "ready" and self.probe and self.probe.answered():
            self.stuck_detector.progressed()
        if (code := self.process.poll()) is not None:
            self._died(now, code)
        elif self._ends_at is not None or self._is_stuck(now):
            self._end_stuck(now)
        elif self.state == "starting" and self.ready(self):
            self.state, self.was_ready, self.stood_at = "ready", True, ""
            self.stuck_detector.progressed()
        self._note_silence(now)

    def forgive(self) -> None:
        """Count no quick death: on a full disk every start fails, and one with space again succeeds."""
        self.quick_deaths = 0
        if self.state == "given up":
            self.state = "waiting"

    def postpone(self, now: float) -> None:
        """Try again later to start it."""
        if self.process is None:
            self._forget()
            self.state, self.due = "waiting", now + LONGEST_PAUSE_S

    def record(self) -> ChildRecord:
        """Make the record of it that people see."""
        return ChildRecord(
            state=self.state,
            pid=self.pid,
            started=self.started,
            restarts=max(0, self.restarts),
            stuck=self.stuck,
            lacks=self._lacks(),
            step=self.pulse.step,
            stood_at=self.stood_at,
            silent_since=self.silent_since,
            health=self.pulse.health,
            under_way=self.pulse.under_way,
        )

    def _lacks(self) -> str:
        if self.silent_since is not None:
            return NO_ANSWER
        return self.pulse.reason if self.reports else ""

    def _note_silence(self, now: float) -> None:
        lasts_s = self.stuck_detector.lasts_s
        if self.state != "ready" or not (self.probe or self.reports) or lasts_s <= NO_ANSWER_S:
            self.silent_since = None
        elif self.silent_since is None:
            self.silent_since = now - lasts_s

    def farewell(self) -> DrainReport:
        """Report on its activities since it was asked to stop."""
        report = self.pulse
        return DrainReport(
            finished=report.finished, handed_back=report.handed_back, abandoned=report.under_way
        )

    def ask_to_stop(self) -> None:
        """Without waiting, so that several can stop at once."""
        if self.process and self.program and self.process.poll() is None:
            self.process.send_signal(self.program.stop_signal)

    def stopped(self) -> bool:
        """Whether it has ended since it was asked to."""
        ended = self.process is None or self.process.poll() is not None
        # Only now: its last words may have come in between.
        self.hear()
        if ended:
            self.process = None
            self.state = "killed" if self.state == "killed" else "stopped"
        return self.process is None

    def kill(self) -> None:
        """End it at once."""
        if self.process is not None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
            self.state = "killed"
            self.stopped()

    def said_ready(self) -> bool:
        """Whether the worker said so in this life."""
        self.hear()
        return self._said_ready

    def hear(self) -> None:
        """Take in what the worker said."""
        for said in self.hearing.lines() if self.hearing else ():
            if said is None:
                self._said_ready = True
            else:
                self.pulse = said
            # A report is no progress of a start: that is a further step, see ``_moves``.
            if said is None or self.state != "starting":
                self.stuck_detector.progressed()

    def listen(self) -> int:
        """Open the pipe of a new life; returns the end that the child keeps. The caller closes it."""
        self._forget()
        self.pulse = LivenessReport(step="loading its code")
        reading, writing = os.pipe()
        self.hearing = LivenessReader(reading)
        return writing

    def _start(self, now: float) -> None:
        self.program = self.make()
        if self.restarts < 0:
            self.log_before = processes.size_of(self.program.log)
        try:
            self.process = processes.spawn(self.program)
        finally:
            for descriptor in self.program.closes:
                os.close(descriptor)
        self.state, self.started, self._ends_at = "starting", now, None
        self._movement = Movement(self.process.pid, self.program.log)
        self.stuck_detector.progressed()
        self.restarts += 1

    def _died(self, now: float, code: int) -> None:
        lived = now - (self.started or now)
        hopeless = lived < QUICK_S or not self.was_ready
        # One that was ended is slow, and a slow one is not given up.
        if self._ends_at is None:
            self.quick_deaths = self.quick_deaths + 1 if hopeless else 0
        self._forget()
        self.process, self.state = None, "waiting"
        self.due = now + min(LONGEST_PAUSE_S, FIRST_PAUSE_S * 2.0**self.quick_deaths)
        most = MOST_QUICK_DEATHS if self.was_ready else MOST_DEAD_STARTS
        if self.quick_deaths >= most or (code == os.EX_CONFIG and not self.was_ready):
            self.state = "given up"

    def _is_stuck(self, now: float) -> bool:
        starting = self.state == "starting"
        if starting and self._moves():
            self.stuck_detector.progressed()
        too_slow = starting and now - (self.started or now) > LONGEST_START_S
        return self.stuck_detector.too_long(starting=starting) or too_slow

    def _moves(self) -> bool:
        if any(each.state != "ready" for each in self.waits_for):
            return True
        return self._movement is not None and self._movement.moved(self.pulse.step)

    def _end_stuck(self, now: float) -> None:
        """Let it dump its stack, if it can, and then end it; its work goes to the next one."""
        assert self.process is not None
        if self._ends_at is None:
            if self.state == "starting":
                self.stood_at = self.pulse.step or "its first step"
            self.state, self.stuck = "stuck", self.stuck + 1
            dumps = self.reports and not processes.is_stopped(self.process.pid)
            self._ends_at = now + DUMP_S if dumps else now
            if dumps:
                self.process.send_signal(signal.SIGUSR1)
        if now >= self._ends_at:
            # A frozen server's own processes would not notice its death, and hold what the next one needs.
            family = processes.descendants(self.process.pid) if self.probe else []
            self.process.send_signal(signal.SIGKILL)
            processes.kill_all(family)

    def _forget(self) -> None:
        self._said_ready, self.pulse = False, LivenessReport()
        if self.probe is not None:
            self.probe.close()
        if self.hearing is not None:
            self.hearing.close()
            self.hearing = None
