"""Runs of a book beside its sessions, which hold no lock: readings and plannings."""

from typing import Literal

from schemas.base import BookId, CommitSha, Value
from schemas.workspace import Workspace


class SideRunInput(Value):
    """A run on one book; its workflow id is the name of the pipeline and the book's id."""

    book_id: BookId
    workspace: Workspace
    session: str
    """Id of this run."""
    repo_queue: str = "penwright-repo"
    model_queue: str = "penwright-models"


class SideRunResult(Value):
    """The result of a run."""

    outcome: Literal["completed", "stopped", "failed"]
    book_id: BookId
    session: str
    code: str = ""
    message: str = ""
    stopped_by: str = ""
    commit: CommitSha | None = None
    push: str = ""
    warnings: tuple[str, ...] = ()
    cost_micros: int = 0
    unknown_prices: int = 0
