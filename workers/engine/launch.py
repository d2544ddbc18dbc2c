"""Bringing the engine up and down from a command line."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

import psutil

from penwright.errors import PermanentError
from workers.engine import processes
from workers.engine.log_lines import in_words
from workers.engine.movement import Movement
from workers.engine.starting import Report, StartReport, complete, end_of_log, under_way
from workers.engine.stuck_detector import StuckDetector
from workers.engine.supervisor import Supervisor
from workers.home.folder import DrainReport, Home, Record
from workers.settings import LONGEST_START_S, Loaded

POLL_S = 0.1
PROGRESS_S = 0.3
"""Interval between checks for the end of the engine."""


def run(loaded: Loaded, report: Report, on_ready: Callable[[Record], None] = lambda record: None) -> bool:
    """Run the engine in this process until it is asked to stop; False if it already runs elsewhere.

    Raises:
        UsageMistake: an encryption key is invalid.
    """
    _check_keys(loaded)
    return Supervisor(loaded, report, on_ready).run()


def detach(loaded: Loaded, report: Report) -> Record:
    """Start the engine in the background and wait until it is ready, or join one that already runs.

    Raises:
        PermanentError: it could not start; the message has the reason.
    """
    _check_keys(loaded)
    home = Home(loaded.settings.home)
    home.make()
    if home.holder() is not None:
        return wait_ready(loaded, report)
    processes.trim_log(home.log("engine"))
    log_before = processes.size_of(home.log("engine"))
    with home.log("engine").open("ab") as log:
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "workers", "engine"],
            env=loaded.child_environment(with_model_keys=True),
            cwd=home.root,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    try:
        return wait_ready(loaded, report, process, log_before)
    finally:
        # A caller that outlives the engine, as the demo does, must not keep it as a zombie.
        threading.Thread(target=process.wait, daemon=True).start()


def _check_keys(loaded: Loaded) -> None:
    """Raise for an invalid encryption key before any server is started."""
    # Imported here: cryptography is slow to import for the many engines that have no key.
    if loaded.settings.has_encryption_keys:
        from workers.payloads.keys import keys

        keys(loaded.settings)


def wait_ready(
    loaded: Loaded,
    report: Report,
    process: subprocess.Popen[bytes] | None = None,
    log_before: int = 0,
) -> Record:
    """Return the record of the running engine once every process is ready, or does not become so.

    It is waited for as long as it moves, up to ten minutes; the engine itself ends processes that do not.

    Args:
        process: the supervisor, if we started it.
        log_before: bytes that its log had before.

    Raises:
        PermanentError: it ended, or is not ready; in the second case it goes on.
    """
    home, said, patience = Home(loaded.settings.home), StartReport(report), _Patience(loaded)
    while True:
        record = home.read()
        ours = record is not None and (process is None or record.pid == process.pid or process.poll() == 0)
        if record and ours and record.state in ("starting", "ready"):
            said.look(record)
            if complete(record) and home.holder() is not None:
                return record
            patience.look(record)
        if process is not None and process.poll() not in (None, 0):
            raise _not_started(loaded, process, log_before)
        # A process of ours that ended well joined an engine that ran, or was stopped itself.
        if (process is None or process.poll() == 0) and home.holder() is None:
            raise PermanentError(
                "engine-ended",
                "the engine was stopped while it started; run `penwright up` to start it again",
                hint=f"run `{loaded.command('up --detach')}`",
            )
        time.sleep(POLL_S)


class _Patience:
    """Judges whether an engine that starts is still waited for."""

    def __init__(self, loaded: Loaded) -> None:
        self._loaded = loaded
        self._stuck_before: dict[str, int] | None = None
        self._deadline = time.monotonic() + LONGEST_START_S
        self._detector = StuckDetector(0, loaded.settings.engine.start_stall_s)
        self._movement: Movement | None = None

    def look(self, record: Record) -> None:
        """Raise if a process the engine needs stood still, the engine does, or ten minutes are over."""
        stuck = {name: child.stuck for name, child in record.children.items()}
        self._stuck_before = self._stuck_before or stuck
        if self._movement is None:
            self._movement = Movement(record.pid, Home(self._loaded.settings.home).log("engine"))
        if self._movement.moved(under_way(record)):
            self._detector.progressed()
        still_s = self._loaded.settings.engine.start_stall_s
        for name, times in stuck.items():
            child = record.children[name]
            if record.state == "starting" and times > self._stuck_before.get(name, 0):
                what = f"{name} showed no progress for {still_s:g} s in its start ({child.stood_at})"
                raise self._slow(record, f"{what} and is replaced", name)
        if self._detector.too_long(starting=True):
            raise self._slow(record, f"the engine (pid {record.pid}) showed no progress for {still_s:g} s")
        if time.monotonic() > self._deadline:
            raise self._slow(record, f"it is not ready after {LONGEST_START_S / 60:.0f} minutes")

    def _slow(self, record: Record, what: str, name: str = "engine") -> PermanentError:
        ready = [one for one, child in record.children.items() if child.state == "ready"]
        goes_on = f"ready and kept: {', '.join(ready) or 'nothing'}; still starting: {under_way(record)}"
        return PermanentError(
            "engine-start-slow",
            f"{what}; {goes_on}; {end_of_log(self._loaded, name)}",
            hint=f"the start goes on; `{self._loaded.command('up --detach')}` waits for it, "
            f"`{self._loaded.command('down')}` ends it",
        )


@dataclass(frozen=True, slots=True)
class Ending:
    """End of an engine."""

    children: Mapping[str, str]
    """Each process -> ``stopped`` or ``killed``."""
    farewells: Mapping[str, DrainReport]
    """Reports on the activities of each worker."""


def bring_down(loaded: Loaded, report: Report) -> Ending | None:
    """Stop the engine of this home and wait until nothing of it is left; None if none ran.

    Raises:
        PermanentError: it would not end.
    """
    home = Home(loaded.settings.home)
    supervisor = home.holder()
    if supervisor is None:
        return None
    family = [supervisor, *_children(supervisor)]
    grace_s = loaded.settings.worker.grace_s
    report(f"workers finish what they are doing, or hand it back after {grace_s:g} s")
    if not _end(supervisor, grace_s + 30, partial(_tell_farewells, home, report, {})):
        raise PermanentError(
            "engine-stuck", f"the engine (pid {supervisor.pid}) does not end; kill it by hand"
        )
    # Children die with their parent, see ``processes``; those that do not within five seconds are killed.
    _, left = psutil.wait_procs(family, timeout=5)
    for process in left:
        process.kill()
    record = home.read()
    if record is None:
        return Ending({}, {})
    home.write(record.model_copy(update={"state": "stopped", "children": {}}))
    # A record that says something else is of a supervisor that was killed, and its children with it.
    in_order = record.state == "stopped"
    states = {name: child.state if in_order else "killed" for name, child in record.children.items()}
    return Ending(states, record.farewells)


def _end(supervisor: psutil.Process, patience_s: float, meanwhile: Callable[[], None]) -> bool:
    """``processes.end``, with something to do while it takes its time."""
    deadline = time.monotonic() + patience_s
    with suppress(psutil.NoSuchProcess):
        supervisor.send_signal(signal.SIGTERM)
        # One that a signal stopped takes no other before it goes on.
        supervisor.send_signal(signal.SIGCONT)
        while time.monotonic() < deadline:
            with suppress(psutil.TimeoutExpired):
                supervisor.wait(PROGRESS_S)
                meanwhile()
                return True
            meanwhile()
    return processes.end(supervisor, first=signal.SIGKILL, patience_s=5)


def _tell_farewells(home: Home, report: Report, reported: dict[str, DrainReport]) -> None:
    """Report what each worker finished and handed back since the last report (``reported``)."""
    record = home.read()
    for name, farewell in record.farewells.items() if record else ():
        if farewell != reported.get(name, DrainReport()):
            reported[name] = farewell
            report(f"{name}: {farewell.said}")


def _children(process: psutil.Process) -> list[psutil.Process]:
    try:
        return process.children(recursive=True)
    except psutil.NoSuchProcess:
        return []


def _not_started(loaded: Loaded, process: subprocess.Popen[bytes], log_before: int) -> PermanentError:
    home = Home(loaded.settings.home)
    record = home.read()
    log = home.log("engine")
    reason = in_words(processes.tail(log, 5, since=log_before)) or f"its log {str(log)!r} is empty"
    failed = record is not None and record.pid == process.pid and record.state == "failed"
    return PermanentError(
        "engine-not-started",
        f"the engine did not start: {record.reason if record and failed else reason}",
        hint=f"correct what it names; `{loaded.command('doctor')}` checks the installation",
    )


def serve(loaded: Loaded) -> int:
    """The detached supervisor's own process: like ``run``, reported to a log."""

    def report(line: str) -> None:
        sys.stderr.write(f"{line}\n")
        sys.stderr.flush()

    os.umask(0o077)
    run(loaded, report)
    return 0
