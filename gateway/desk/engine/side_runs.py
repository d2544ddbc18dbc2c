"""Port: runs of a book beside its sessions, such as readings and plannings."""

from typing import Protocol, TypeVar

from gateway.desk.engine.pipelines import StartedRuns
from schemas.side_run import SideRunInput, SideRunResult

Given = TypeVar("Given", bound=SideRunInput, contravariant=True)
Result = TypeVar("Result", bound=SideRunResult, covariant=True)


class SideRuns(StartedRuns[Given, Result], Protocol[Given, Result]):
    """The runs of one pipeline as commands see them; ``name`` is a book's id."""

    async def want(self, given: Given) -> None:
        """Start a reading, or have the running one look again before it ends."""
        ...
