"""Signs that a process still moves: processor time, bytes in its log, and the step that it reports."""

import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import psutil

from workers.engine import processes

LEAST_CPU_S = 0.25
"""Processor time that counts as movement: a process that only waits uses less in a minute."""
_SAMPLE_S = 2.0
"""Seconds between two samples, because walking a process tree costs milliseconds."""


class Movement:
    """Compares a process and its children with the last sample that showed a difference.

    Args:
        used: returns the processor time of the process with this pid.
    """

    def __init__(
        self,
        pid: int,
        log: Path,
        *,
        clock: Callable[[], float] = time.monotonic,
        used: Callable[[int], float] | None = None,
    ) -> None:
        self._pid, self._log = pid, log
        self._clock, self._used = clock, used or cpu_s
        self._sampled = clock()
        self._cpu_s, self._logged, self._step = self._used(pid), processes.size_of(log), ""

    def moved(self, step: str = "") -> bool:
        """Return whether it moved since the last call that said so; ``step``: what it reported last."""
        if step == self._step and self._clock() - self._sampled < _SAMPLE_S:
            return False
        self._sampled = self._clock()
        cpu, logged = self._used(self._pid), processes.size_of(self._log)
        # Also less: a child of it that ended may not have been waited for yet.
        if abs(cpu - self._cpu_s) < LEAST_CPU_S and (logged, step) == (self._logged, self._step):
            return False
        self._cpu_s, self._logged, self._step = cpu, logged, step
        return True


def cpu_s(pid: int) -> float:
    """Processor time that a process and its descendants have used; 0 if it is gone."""
    total = 0.0
    with suppress(psutil.Error):
        for each in (psutil.Process(pid), *processes.descendants(pid)):
            with suppress(psutil.Error):
                total += sum(each.cpu_times()[:4])
    return total
