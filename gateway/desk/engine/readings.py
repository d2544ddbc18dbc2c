"""Port: runs in which a book's clerk reads it."""

from collections.abc import Mapping
from typing import Protocol

from gateway.desk.engine.pipelines import Acknowledgement, Message
from schemas.base import Progress
from schemas.continuity import ContinuityInput, ContinuityResult


class Readings(Protocol):
    """Readings as commands see them; ``name`` is a book's id."""

    async def start(self, given: ContinuityInput) -> bool:
        """Start a reading; False if one runs already, which is left as it is."""
        ...

    async def progress(self, name: str) -> Progress | None:
        """Progress of the reading; None when none runs."""
        ...

    async def running(self) -> Mapping[str, Progress]:
        """Progress of every reading that runs, by book; without a worker, only its stage."""
        ...

    async def result(self, name: str) -> ContinuityResult | None:
        """Wait for the running or latest reading to end; None if there was none."""
        ...

    async def signal(self, name: str, message: Message) -> Acknowledgement:
        """Kill, pause or resume a reading and wait for the acknowledgement."""
        ...
