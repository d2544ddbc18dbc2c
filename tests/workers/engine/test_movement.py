"""Whether a process that starts still moves."""

import subprocess
import sys
from pathlib import Path

from tests.support.engine.home import until
from tests.workers.engine.test_stuck_detector import HandClock
from workers.engine.movement import LEAST_CPU_S, Movement, cpu_s


class Watched:
    """A process whose processor time is set by hand."""

    def __init__(self, folder: Path) -> None:
        self.clock, self.cpu_s, self.log = HandClock(), 1.0, folder / "child.log"
        self.movement = Movement(7, self.log, clock=self.clock, used=lambda pid: self.cpu_s)

    def moved(self, step: str = "") -> bool:
        self.clock.now += 5
        return self.movement.moved(step)


def test_processor_time_bytes_logged_and_a_further_step_are_movement(tmp_path: Path) -> None:
    watched = Watched(tmp_path)

    still = watched.moved()
    watched.cpu_s += LEAST_CPU_S
    busy = watched.moved(), watched.moved()
    watched.log.write_text("one line\n")
    logged = watched.moved(), watched.moved()
    further = watched.moved("connecting"), watched.moved("connecting")

    assert (still, busy, logged, further) == (False, *[(True, False)] * 3)


def test_the_little_that_waiting_costs_adds_up_to_no_movement_in_a_minute(tmp_path: Path) -> None:
    watched = Watched(tmp_path)

    for _ in range(12):
        watched.cpu_s += LEAST_CPU_S / 13
        assert not watched.moved()


def test_the_work_of_children_counts() -> None:
    burn = "t = __import__('time'); e = t.process_time() + 0.3\nwhile t.process_time() < e: pass"
    parent = f"import subprocess, sys, time; subprocess.run([sys.executable, '-c', {burn!r}]); time.sleep(60)"
    process = subprocess.Popen([sys.executable, "-S", "-c", parent])
    try:
        until(lambda: cpu_s(process.pid) > 0.3)
    finally:
        process.kill()
        process.wait()
    assert cpu_s(process.pid) == 0
