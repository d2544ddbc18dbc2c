"""Run a converter: one process with bounded time, memory and output, which fetches nothing."""

import os
import resource
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from penwright.errors import PermanentError

_LARGEST_FILE = 512 * 1024 * 1024
_HEAP_EXHAUSTED = 251
"""Exit code of a Haskell program whose heap is full."""
_HINT = "nothing was made; divide the document, or name a smaller one"


@dataclass(frozen=True, slots=True)
class Bounds:
    """What one conversion may use."""

    time_s: float = 300.0
    memory_mb: int = 2048


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
    """Run ``command`` in ``folder`` with ``given`` on its standard input.

    Args:
        variables: its whole environment, beside the search path.

    Raises:
        PermanentError: ``document-too-slow`` or ``document-too-large``.
    """
    environment = {"PATH": os.defpath, "LC_ALL": "C.UTF-8", "HOME": str(folder), **variables}
    with (
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
            preexec_fn=_bound_files,
        )
        status = _awaited(process, bounds)
        output.seek(0)
        complaints.seek(0)
        return Finished(status, output.read(), complaints.read()[-2000:].decode("utf-8", "replace").strip())


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
    if status in (_HEAP_EXHAUSTED, -signal.SIGXFSZ, -signal.SIGKILL):
        raise PermanentError(
            "document-too-large",
            f"the conversion needed more than {bounds.memory_mb} MB and was stopped",
            hint=_HINT,
        )
    return status


def _bound_files() -> None:
    """In the child: no file grows without limit, and a crash leaves none."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (_LARGEST_FILE, _LARGEST_FILE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
