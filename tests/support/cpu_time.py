"""Run a command and print the CPU time of all processes that it started.

Usage: python -m tests.support.cpu_time COMMAND
"""

import ctypes
import os
import resource
import subprocess
import sys
import time
from contextlib import suppress

from tests.support.junit import REPORT, slowest

PR_SET_CHILD_SUBREAPER = 36


def main(command: list[str]) -> int:
    _adopt_orphans()
    begun, day = time.monotonic(), time.time()
    code = _ended(subprocess.Popen(command))
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(closing_line(used.ru_utime + used.ru_stime, time.monotonic() - begun, day))
    return code


def closing_line(cpu_s: float, wall_s: float, since: float) -> str:
    """The times of a run that began at ``since``, in minutes, and its slowest files."""
    line = f"[tests] {cpu_s / 60:.1f} CPU min, {int(wall_s) // 60} min {int(wall_s) % 60} s"
    if not REPORT.exists() or REPORT.stat().st_mtime < since:
        return line
    named = (f"{name} {seconds:.0f} s" for name, seconds in slowest(REPORT))
    return f"{line}; slowest: {', '.join(named)}"


def _adopt_orphans() -> None:
    """Engines leave their parents: only their next of kin is told what they used. Linux only."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _ended(process: "subprocess.Popen[bytes]") -> int:
    """Reap every child until the command itself has ended; return its exit code."""
    while True:
        try:
            pid, status = os.wait()
        except KeyboardInterrupt:
            continue
        if pid == process.pid:
            process.returncode = os.waitstatus_to_exitcode(status)
            return process.returncode if process.returncode >= 0 else 128 - process.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
