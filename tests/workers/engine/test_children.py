"""A supervised child that beats, and real processes that no longer do."""

import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.support.engine.home import until
from tests.workers.engine.test_stuck_detector import HandClock
from workers.engine import processes
from workers.engine.children import Child
from workers.engine.processes import Program
from workers.engine.stuck_detector import StuckDetector
from workers.health.liveness import LivenessReport

BEATING = """
import faulthandler, os, signal, sys, threading
faulthandler.register(signal.SIGUSR1, all_threads=True)
told = int(sys.argv[1])
os.write(told, b"ready\\n{}\\n")

def hold_for_ever():
    threading.Event().wait()

hold_for_ever()
"""
"""Reports ready and one liveness report, then blocks in a named function."""


class Watched:
    """A child, its clock, and its log."""

    def __init__(self, folder: Path) -> None:
        self.clock = HandClock()
        self.log = folder / "child.log"
        self.child = Child("child", self._program, Child.said_ready)
        self.child.stuck_detector = StuckDetector(30, 60, clock=self.clock)
        self.child.reports = True

    def _program(self) -> Program:
        told = self.child.listen()
        argv = (sys.executable, "-S", "-c", BEATING, str(told))
        return Program("child", argv, {}, self.log.parent, self.log, inherits=(told,), closes=(told,))

    def look(self) -> str:
        """One look of the supervisor; the state that it leaves."""
        self.child.look(processes.now())
        return self.child.state

    def until(self, state: str) -> None:
        """Look until the child is in ``state``."""
        until(lambda: self.look() == state)

    def fall_silent(self) -> None:
        """Let half a minute go by in which it says nothing."""
        self.child.hear()
        for _ in range(15):
            self.clock.now += 2
            assert self.child.state == "ready"
            self.look()


@pytest.fixture
def watched(tmp_path: Path) -> Iterator[Watched]:
    found = Watched(tmp_path)
    found.until("ready")
    yield found
    found.child.kill()


def test_a_stuck_child_dumps_its_stacks_and_is_restarted(watched: Watched) -> None:
    first = watched.child.pid

    watched.fall_silent()
    watched.until("ready")

    assert watched.child.pid != first
    assert (watched.child.stuck, watched.child.record().stuck) == (1, 1)
    assert "hold_for_ever" in watched.log.read_text()


def test_a_frozen_child_is_killed_and_restarted(watched: Watched) -> None:
    first = psutil.Process(watched.child.pid)
    first.send_signal(signal.SIGSTOP)
    until(lambda: first.status() == psutil.STATUS_STOPPED)

    watched.fall_silent()
    watched.until("ready")

    assert not first.is_running()
    assert watched.child.stuck == 1


def test_a_child_that_reports_liveness_is_left_running(watched: Watched) -> None:
    first, stuck_detector = watched.child.pid, watched.child.stuck_detector

    for _ in range(100):
        watched.clock.now += 2
        stuck_detector.progressed()
        assert watched.look() == "ready"

    assert (watched.child.pid, watched.child.stuck) == (first, 0)


def test_a_child_knows_what_was_in_its_log_before_its_first_life(tmp_path: Path) -> None:
    log = tmp_path / "child.log"
    log.write_text("of the start before\n")
    argv = (sys.executable, "-S", "-c", "print('of this one')")
    child = Child("child", lambda: Program("child", argv, {}, tmp_path, log), Child.said_ready)

    def restarted() -> bool:
        child.look(processes.now())
        return child.restarts == 1

    until(restarted)
    child.kill()

    assert processes.tail(log, since=child.log_before).splitlines()[0] == "of this one"


class Starting:
    """A child that is never ready; each look comes two seconds after the one before."""

    def __init__(self, folder: Path, *waits_for: Child) -> None:
        self.clock, self.log = HandClock(), folder / "child.log"
        self.child = Child("child", self._program, lambda child: False, waits_for=waits_for)
        self.child.stuck_detector = StuckDetector(0, 60, clock=self.clock)
        self.child.look(processes.now())

    def _program(self) -> Program:
        argv = (sys.executable, "-S", "-c", "import time; time.sleep(600)")
        return Program("child", argv, {}, self.log.parent, self.log)

    def look(self, times: int, *, logging: bool = False) -> str:
        for _ in range(times):
            self.clock.now += 2
            if logging:
                with self.log.open("a") as log:
                    log.write("a line\n")
            self.child.look(processes.now())
        return self.child.state


def test_a_start_that_moves_is_waited_for_and_one_that_stands_still_is_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workers.engine.movement._SAMPLE_S", 0)
    starting = Starting(tmp_path)
    starting.child.pulse = LivenessReport(step="connecting")

    moving = starting.look(200, logging=True)
    starting.look(31)
    until(lambda: starting.look(1) == "waiting")
    record = starting.child.record()

    assert moving == "starting"
    assert (record.stuck, record.stood_at) == (1, "connecting")
    assert starting.child.quick_deaths == 0, "a slow child is not given up"


def test_a_start_may_stand_still_while_it_waits_for_a_server(tmp_path: Path) -> None:
    server = Child("server", lambda: pytest.fail("not started"), Child.said_ready, state="starting")
    starting = Starting(tmp_path, server)

    waiting = starting.look(100)
    server.state = "ready"
    until(lambda: starting.look(31) == "waiting")

    assert waiting == "starting"


def test_a_child_that_had_to_be_killed_says_so(watched: Watched) -> None:
    watched.child.kill()

    assert watched.child.stopped()
    assert watched.child.record().state == "killed"


def test_a_child_whose_settings_are_wrong_is_given_up_at_once(tmp_path: Path) -> None:
    log = tmp_path / "child.log"
    argv = (sys.executable, "-S", "-c", "import os, sys; sys.exit(os.EX_CONFIG)")
    child = Child("child", lambda: Program("child", argv, {}, tmp_path, log), Child.said_ready)

    def given_up() -> bool:
        child.look(processes.now())
        return child.state == "given up"

    until(given_up)

    assert child.restarts == 0
