"""Child processes on a leash: they die with their parent, even when that is killed."""

import ctypes
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None
LARGEST_LOG = 20_000_000
"""Bytes after which a log is set aside as ``….log.1``."""


@dataclass(frozen=True, slots=True)
class Account:
    """The user a child runs as."""

    uid: int
    gid: int


@dataclass(frozen=True, slots=True)
class Program:
    """Command, environment and files of one process of the engine."""

    name: str
    argv: tuple[str, ...]
    environ: Mapping[str, str]
    folder: Path
    log: Path
    death_signal: signal.Signals = signal.SIGKILL
    """Signal that it receives when its parent dies."""
    stop_signal: signal.Signals = signal.SIGTERM
    stop_s: float = 10
    """Time it may take to stop before it is killed."""
    account: Account | None = None
    inherits: tuple[int, ...] = ()
    """Descriptors it keeps."""
    closes: tuple[int, ...] = ()
    """Descriptors among them that only it keeps."""


def spawn(program: Program) -> subprocess.Popen[bytes]:
    """Start ``program`` in a session of its own, so that Ctrl-C reaches only the supervisor.

    Must be called from a thread that lives as long as this process: the kernel counts the death of the
    spawning *thread* as the parent's.
    """
    account = program.account
    with program.log.open("ab") as log:
        return subprocess.Popen(
            program.argv,
            env=dict(program.environ),
            cwd=program.folder,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
            pass_fds=program.inherits,
            user=account.uid if account else None,
            group=account.gid if account else None,
            extra_groups=[account.gid] if account else None,
            preexec_fn=_leash(program.death_signal),
        )


def _leash(death_signal: signal.Signals) -> Callable[[], None] | None:
    """Runs in the child after it changed user: changing credentials would undo it."""
    if _LIBC is None:
        return None
    parent, prctl = os.getpid(), _LIBC.prctl

    def bind() -> None:
        prctl(_PR_SET_PDEATHSIG, int(death_signal), 0, 0, 0)
        if os.getppid() != parent:
            os._exit(1)

    return bind


def end(process: psutil.Process, *, first: signal.Signals, patience_s: float) -> bool:
    """End a process that is not our child; True if it is gone. ``psutil`` guards against a reused pid."""
    try:
        process.send_signal(first)
        process.wait(patience_s)
    except psutil.NoSuchProcess:
        return True
    except psutil.TimeoutExpired:
        process.kill()
        return _gone(process)
    return True


def _gone(process: psutil.Process) -> bool:
    try:
        process.wait(5)
    except psutil.TimeoutExpired:
        return False
    return True


def descendants(pid: int) -> list[psutil.Process]:
    """The processes that a process has started, and theirs."""
    try:
        return list(psutil.Process(pid).children(recursive=True))
    except psutil.Error:
        return []


def kill_all(family: Sequence[psutil.Process]) -> None:
    """Kill each, also a frozen one."""
    for process in family:
        with suppress(psutil.NoSuchProcess):
            process.kill()


def is_stopped(pid: int) -> bool:
    """Whether a signal froze it, so that it cannot react to any other."""
    try:
        return bool(psutil.Process(pid).status() == psutil.STATUS_STOPPED)
    except psutil.Error:
        return False


def free_port(preferred: int | None, *, taken: Sequence[int] = ()) -> int:
    """``preferred`` if no process listens there, else one that the system picks."""
    for port in (preferred, 0):
        if port is None or port in taken:
            continue
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            number: int = probe.getsockname()[1]
            return number
    raise OSError("no free port on 127.0.0.1")


def listens(pid: int, port: int) -> bool:
    """Whether this very process takes connections at a port: one that answers may be another's."""
    try:
        connections = psutil.Process(pid).net_connections("tcp")
    except psutil.Error:
        return False
    return any(each.status == psutil.CONN_LISTEN and each.laddr.port == port for each in connections)


def trim_log(log: Path, *, largest: int = LARGEST_LOG) -> None:
    """Set a long log aside. The writer appends, so emptying the file under it loses at most a line."""
    try:
        if log.stat().st_size <= largest:
            return
        aside = log.with_name(f"{log.name}.1")
        try:
            shutil.copyfile(log, aside)
        except OSError:
            # A full disk: half a copy only takes space, and the long log goes on.
            aside.unlink(missing_ok=True)
            return
        os.truncate(log, 0)
    except FileNotFoundError:
        return


def size_of(log: Path) -> int:
    """Bytes in a log; 0 without one."""
    try:
        return log.stat().st_size
    except OSError:
        return 0


def tail(log: Path, lines: int = 15, *, since: int = 0) -> str:
    """The end of a log, of what was written after its first ``since`` bytes."""
    size = size_of(log)
    # A log that is shorter now was set aside meanwhile.
    begin = since if since <= size else 0
    try:
        with log.open("rb") as file:
            file.seek(max(begin, size - 16_000))
            text = file.read().decode(errors="replace")
    except OSError:
        return ""
    return "\n".join(text.splitlines()[-lines:])


def now() -> float:
    """Seconds since the epoch."""
    return time.time()
