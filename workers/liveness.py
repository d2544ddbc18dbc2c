"""What a worker tells its supervisor, line by line through a pipe: that it is ready, that it still turns."""

import os
from collections.abc import Callable, Iterator
from contextlib import suppress

from pydantic import BaseModel, ConfigDict, ValidationError

BEAT_S = 1.0
"""How often a worker that turns says so."""
READY = b"ready"


class Pulse(BaseModel):
    """One beat."""

    model_config = ConfigDict(frozen=True)

    reason: str = "starting"
    """Why it is not ready for work; empty when it is."""
    health: str | None = None
    """Address of its own health endpoint."""
    under_way: int = 0
    """Activities that it works on."""
    finished: int = 0
    """Activities that it finished since it was told to stop."""
    handed_back: int = 0
    """Activities that it gave up since then, for another worker to take."""


Tell = Callable[[Pulse], None]


def nobody(pulse: Pulse) -> None:
    """Hears the beats of a process that was started by hand."""


class Notice:
    """The worker's end of the pipe."""

    def __init__(self, descriptor: int | None) -> None:
        self._descriptor = descriptor
        if descriptor is not None:
            os.set_blocking(descriptor, False)

    def ready(self) -> None:
        """Say that work can come."""
        self._write(READY)

    def tell(self, pulse: Pulse) -> None:
        """Say that we turn; lost when nobody listens, for the next beat says the same."""
        self._write(pulse.model_dump_json().encode())

    def _write(self, line: bytes) -> None:
        if self._descriptor is not None:
            # A supervisor that does not read, or is gone, must not hold up its worker.
            with suppress(BlockingIOError, BrokenPipeError):
                os.write(self._descriptor, line + b"\n")


class Hearing:
    """The supervisor's end."""

    def __init__(self, descriptor: int) -> None:
        os.set_blocking(descriptor, False)
        self.descriptor = descriptor
        self._rest = b""

    def lines(self) -> Iterator[Pulse | None]:
        """What was said since the last time: beats, and None for ``ready``."""
        *whole, self._rest = (self._rest + self._read()).split(b"\n")
        for line in whole:
            if line == READY:
                yield None
                continue
            with suppress(ValidationError):
                yield Pulse.model_validate_json(line)

    def close(self) -> None:
        os.close(self.descriptor)

    def _read(self) -> bytes:
        heard = b""
        with suppress(BlockingIOError):
            while some := os.read(self.descriptor, 65_536):
                heard += some
        return heard
