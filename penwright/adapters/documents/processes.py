"""Run a converter: one process with bounded time, memory and output, which fetches nothing."""

import os
import resource
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import BoundedSemaphore

from penwright.errors import PermanentError, WorkspaceBusy

_LARGEST_FILE = 512 * 1024 * 1024
_TOO_LARGE = (251, -signal.SIGABRT, -signal.SIGXFSZ, -signal.SIGKILL)
"""Exit codes of a Haskell program whose heap is full, of a Rust program without memory, of one whose file
grows too large, and of one that the system stops.
"""
_PLACES = BoundedSemaphore(2)
"""Conversions that run at once in this process: each may take gigabytes."""
_HINT = "nothing was made; divide the document, or name a smaller one"


@dataclass(frozen=True, slots=True)
class Bounds:
    """Limits of one conversion."""

    time_s: float = 300.0
    """By the clock; a machine with much else to do needs long."""
    cpu_s: int = 120
    memory_mb: int = 2048
    """Of its heap; what pandoc holds is up to 1.7 times that while it collects garbage (measured)."""


@dataclass(frozen=True, slots=True)
class Finished:
    """A process that ended."""

    status: int
    output: bytes
    complaint: str
    """The end of its standard error."""


def run(
    command: Sequence[str],
    given: bytes,
    bounds: Bounds,
    *,
    folder: Path,
    variables: Mapping[str, str],
) -> Finished:
    """Run ``command`` in ``folder`` with ``given`` on its standard input, once there is a place for it.

    Args:
        variables: its whole environment, beside the search path.

    Raises:
        PermanentError: ``document-too-slow`` or ``document-too-large``.
        WorkspaceBusy: ``documents-busy``; others took the whole time.
    """
    environment = {"PATH": os.defpath, "LC_ALL": "C.UTF-8", "HOME": str(folder), **variables}
    with (
        _place(bounds.time_s),
        tempfile.TemporaryFile(dir=folder) as source,
        tempfile.TemporaryFile(dir=folder) as output,
        tempfile.TemporaryFile(dir=folder) as complaints,
    ):
        source.write(given)
        source.seek(0)
        process = subprocess.Popen(
            command,
            stdin=source,
            stdout=output,
            stderr=complaints,
            cwd=folder,
            env=environment,
            start_new_session=True,
            preexec_fn=partial(_bound, bounds.cpu_s),
        )
        status = _awaited(process, bounds)
        output.seek(0)
        complaints.seek(0)
        return Finished(status, output.read(), complaints.read()[-2000:].decode("utf-8", "replace").strip())


@contextmanager
def _place(patience_s: float) -> Iterator[None]:
    if not _PLACES.acquire(timeout=patience_s):
        raise WorkspaceBusy(
            "documents-busy",
            f"other documents were converted for {patience_s:.0f} s; nothing was made",
            hint="try again once they are done",
        )
    try:
        yield
    finally:
        _PLACES.release()


def _awaited(process: "subprocess.Popen[bytes]", bounds: Bounds) -> int:
    """Wait for the end of the process; every other way out of here ends it too."""
    try:
        status = process.wait(bounds.time_s)
    except subprocess.TimeoutExpired:
        raise PermanentError(
            "document-too-slow",
            f"the conversion took longer than {bounds.time_s:.0f} s and was stopped",
            hint=_HINT,
        ) from None
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    if status == -signal.SIGXCPU:
        raise PermanentError(
            "document-too-slow",
            f"the conversion computed for more than {bounds.cpu_s} s and was stopped",
            hint=_HINT,
        )
    if status in _TOO_LARGE:
        raise PermanentError(
            "document-too-large",
            f"the conversion needed more than {bounds.memory_mb} MB and was stopped",
            hint=_HINT,
        )
    return status


def _bound(cpu_s: int) -> None:
    """In the child: it computes so long at most, also when this process is gone; a crash leaves no file."""
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_s, cpu_s + 1))
    resource.setrlimit(resource.RLIMIT_FSIZE, (_LARGEST_FILE, _LARGEST_FILE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
