"""The product's own worker processes, with one addition: they may kill themselves at a chosen point."""

import asyncio
import ctypes
import os
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Literal

from tests.support.crash.points import CrashInterceptor, CrashPoint, arm
from workers.processes.activities import run_activities
from workers.processes.models import run_models
from workers.processes.workflows import run_workflows
from workers.settings import load

ProcessKind = Literal["workflows", "activities", "models"]

_PR_SET_PDEATHSIG = 1


def work(
    kind: ProcessKind,
    environ: Mapping[str, str],
    log: Path,
    notice: Connection,
    crash: tuple[CrashPoint, Path] | None,
) -> None:
    """Run one process of the engine until a signal; ``notice`` is called when it is ready."""
    _die_with_parent()
    _write_to(log)
    os.environ.update(environ)
    interceptors = [CrashInterceptor(*crash)] if crash else []
    for interceptor in interceptors:
        arm(interceptor)
    asyncio.run(_run(kind, environ, interceptors, lambda: notice.send_bytes(b"ready")))


async def _run(
    kind: ProcessKind,
    environ: Mapping[str, str],
    interceptors: Sequence[CrashInterceptor],
    on_ready: Callable[[], None],
) -> None:
    loaded = load(environ)
    match kind:
        case "workflows":
            await run_workflows(loaded, preparing=False, on_ready=on_ready, interceptors=interceptors)
        case "activities":
            await run_activities(loaded, preparing=False, on_ready=on_ready, interceptors=interceptors)
        case "models":
            await run_models(loaded, on_ready=on_ready, interceptors=interceptors)


def _write_to(log: Path) -> None:
    with log.open("ab") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)


def _die_with_parent() -> None:
    """A test run that is killed leaves no process behind."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
