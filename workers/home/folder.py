"""The data directory of an embedded engine: what lies where, who holds it, how to reach what runs in it."""

import fcntl
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psutil
from pydantic import BaseModel, ConfigDict, ValidationError

from penwright.errors import PermanentError

GLANCES = 10
GLANCE_S = 0.02


class ChildRecord(BaseModel):
    """One process of the engine, as the record keeps it."""

    model_config = ConfigDict(frozen=True)

    state: str
    """``starting``, ``ready``, ``stuck``, ``waiting`` to be restarted, or ``given up``; at the end
    ``stopped`` or ``killed``."""
    pid: int | None = None
    started: float | None = None
    """Seconds since the epoch."""
    restarts: int = 0
    stuck: int = 0
    """Number of times it was ended because it showed no progress."""
    stood_at: str = ""
    """The step of its start at which it stood still and was ended; empty once it is ready."""
    lacks: str = ""
    """The code of why it is not ready for work: ``database-unreachable``, ``no-answer``."""
    silent_since: float | None = None
    """When it last answered or reported, in seconds since the epoch; None unless that is too long ago."""
    step: str = ""
    """Present step of its start."""
    health: str | None = None
    """Address of its own health endpoint."""
    under_way: int = 0
    """Activities that it works on."""


class DrainReport(BaseModel):
    """Report on a worker's activities since it was asked to stop."""

    model_config = ConfigDict(frozen=True)

    finished: int = 0
    handed_back: int = 0
    """Given up in order, for the next worker to take at once."""
    abandoned: int = 0
    """Still running when the process ended; the next worker takes them when their beats are missed."""

    @property
    def said(self) -> str:
        """In words."""
        left = f", {self.abandoned} still running" if self.abandoned else ""
        return f"{self.finished} finished, {self.handed_back} handed back{left}"


class Record(BaseModel):
    """``engine.json``: how to reach the engine of this home."""

    model_config = ConfigDict(frozen=True)

    state: str
    """``starting``, ``ready``, ``stopping``, ``stopped`` or ``failed``."""
    pid: int
    started: float
    version: str
    temporal: str | None = None
    """``host:port``."""
    namespace: str = "default"
    ui: str | None = None
    """Address of the Temporal UI for browsers: that of our guard in front of it."""
    ui_upstream: str | None = None
    """Address of the UI's own server, which answers every caller."""
    database_url: str | None = None
    """Only of the embedded database, which has no password."""
    temporal_port: int | None = None
    ui_port: int | None = None
    codec_port: int | None = None
    web_port: int | None = None
    web: str | None = None
    """Address of the workspace, if it belongs to this engine."""
    health: str | None = None
    """Address of the engine's own health endpoint."""
    children: dict[str, ChildRecord] = {}
    farewells: dict[str, DrainReport] = {}
    """Of the workers that were stopped, by name."""
    step: str = ""
    """Present step of the supervisor itself before it starts processes."""
    reason: str = ""
    """Reason why it failed."""
    lacks: str = ""
    """Lack of the machine: ``disk-low``."""

    @property
    def running(self) -> bool:
        """Whether it claims to run; ``Home.holder`` knows."""
        return self.state in ("starting", "ready", "stopping")


@dataclass(frozen=True, slots=True)
class Home:
    """Paths below one data directory."""

    root: Path

    @property
    def record_file(self) -> Path:
        return self.root / "engine.json"

    @property
    def lock_file(self) -> Path:
        return self.root / "engine.lock"

    @property
    def logs(self) -> Path:
        return self.root / "logs"

    @property
    def temporal_db(self) -> Path:
        return self.root / "temporal" / "temporal.db"

    @property
    def postgres(self) -> Path:
        return self.root / "postgres"

    def log(self, name: str) -> Path:
        """Log file of the process ``name``."""
        return self.logs / f"{name}.log"

    def make(self) -> None:
        """Create what is missing, readable by its owner only.

        Raises:
            PermanentError: the directory cannot be written.
        """
        try:
            self.root.mkdir(parents=True, exist_ok=True, mode=0o700)
            for folder in (self.logs, self.temporal_db.parent, self.postgres):
                folder.mkdir(exist_ok=True, mode=0o711 if folder == self.postgres else 0o700)
            with tempfile.TemporaryFile(dir=self.root):
                pass
        except OSError as error:
            raise PermanentError(
                "home-not-writable",
                f"the engine's home {str(self.root)!r} cannot be made or written ({error.strerror}); "
                "set PENWRIGHT_HOME to a folder that you may write to",
                hint="export PENWRIGHT_HOME=~/penwright-home, then run it again",
            ) from error

    def read(self) -> Record | None:
        """The record; None when there is none or it is damaged, because it can be written again."""
        try:
            return Record.model_validate_json(self.record_file.read_bytes())
        except (OSError, ValidationError):
            return None

    def write(self, record: Record) -> None:
        """Replace the record in one step."""
        text = record.model_dump_json(indent=2) + "\n"
        beside = self.record_file.with_name(f".engine.json.{os.getpid()}")
        beside.write_text(text, encoding="utf-8")
        os.replace(beside, self.record_file)

    def beat(self) -> None:
        """Note that the supervisor goes on; ``beaten`` tells when it last did."""
        with suppress(OSError):
            os.utime(self.lock_file)

    def beaten(self) -> float:
        """Seconds since the epoch; 0 if that is not known."""
        try:
            return self.lock_file.stat().st_mtime
        except OSError:
            return 0

    def holder(self) -> psutil.Process | None:
        """The supervisor that holds this home, known by its lock and not by the record."""
        try:
            descriptor = os.open(self.lock_file, os.O_RDONLY)
        except OSError:
            return None
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            text = os.pread(descriptor, 64, 0).decode(errors="replace").strip()
        else:
            return None
        finally:
            os.close(descriptor)
        with suppress(ValueError, psutil.Error):
            return psutil.Process(int(text))
        return None

    @contextmanager
    def hold(self) -> Iterator[bool]:
        """Hold this home while the block runs; False when another supervisor does.

        The lock goes with its process, however that ends: there is no stale one.
        """
        descriptor = os.open(self.lock_file, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            if not _lock(descriptor):
                yield False
                return
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
            yield True
        finally:
            os.close(descriptor)


def _lock(descriptor: int) -> bool:
    """Take the lock; a glance by ``holder`` may be in the way for an instant, a supervisor for long."""
    for _ in range(GLANCES):
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except OSError:
            time.sleep(GLANCE_S)
    return False
