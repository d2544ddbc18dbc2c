"""Liveness reports from a worker to its supervisor: one line of JSON each, through a pipe."""

import os
from collections.abc import Callable, Iterator
from contextlib import suppress

from pydantic import BaseModel, ConfigDict, ValidationError

REPORT_INTERVAL_S = 1.0
"""Seconds between two reports."""
READY = b"ready"


class LivenessReport(BaseModel):
    """Readiness of a worker process and counts of its activities, at one moment."""

    model_config = ConfigDict(frozen=True)

    reason: str = "starting"
    """Reason why it is not ready for work; empty when it is."""
    step: str = ""
    """Present step of its start."""
    health: str | None = None
    """Address of its own health endpoint."""
    under_way: int = 0
    """Activities that are running."""
    finished: int = 0
    """Activities that finished after the signal to stop."""
    handed_back: int = 0
    """Activities that were given up after that signal, for another worker to run."""


ReportLiveness = Callable[[LivenessReport], None]


def discard_report(report: LivenessReport) -> None:
    """Ignore ``report``: a process that was started by hand has no supervisor."""


class LivenessWriter:
    """The worker's end of the pipe."""

    def __init__(self, descriptor: int | None) -> None:
        self._descriptor = descriptor
        if descriptor is not None:
            os.set_blocking(descriptor, False)

    def ready(self) -> None:
        """Report that the worker takes work."""
        self._write(READY)

    def report(self, report: LivenessReport) -> None:
        """Write ``report``. It is dropped if the pipe is full or closed; the next report replaces it."""
        self._write(report.model_dump_json().encode())

    def _write(self, line: bytes) -> None:
        if self._descriptor is not None:
            # A supervisor that does not read, or has exited, must not block its worker.
            with suppress(BlockingIOError, BrokenPipeError):
                os.write(self._descriptor, line + b"\n")


class LivenessReader:
    """The supervisor's end."""

    def __init__(self, descriptor: int) -> None:
        os.set_blocking(descriptor, False)
        self.descriptor = descriptor
        self._rest = b""

    def lines(self) -> Iterator[LivenessReport | None]:
        """Return what arrived since the last call: reports, and None for ``ready``."""
        *whole, self._rest = (self._rest + self._read()).split(b"\n")
        for line in whole:
            if line == READY:
                yield None
                continue
            with suppress(ValidationError):
                yield LivenessReport.model_validate_json(line)

    def close(self) -> None:
        os.close(self.descriptor)

    def _read(self) -> bytes:
        received = b""
        with suppress(BlockingIOError):
            while some := os.read(self.descriptor, 65_536):
                received += some
        return received
