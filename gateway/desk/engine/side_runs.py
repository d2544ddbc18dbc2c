"""Port: runs of a book beside its sessions, such as readings and plannings."""

from typing import Protocol, TypeVar

from gateway.desk.engine.pipelines import Runs
from schemas.side_run import SideRunInput, SideRunResult

Given = TypeVar("Given", bound=SideRunInput, contravariant=True)
Result = TypeVar("Result", bound=SideRunResult, covariant=True)


class SideRuns(Runs, Protocol[Given, Result]):
    """The runs of one pipeline as commands see them; ``name`` is a book's id."""

    async def start(self, given: Given) -> bool:
        """Start a run; False if one runs already, which is left as it is."""
        ...

    async def want(self, given: Given) -> None:
        """Start a reading, or have the running one look again before it ends."""
        ...

    async def result(self, name: str) -> Result | None:
        """Wait for the running or latest run to end; None if there was none."""
        ...
