"""Port of what was committed to a repository's branch, and how its folder and remote differ from that."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol

from penwright.domain.trace.verifying.anchors import RemoteBranch
from schemas.base import CommitSha
from schemas.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit."""

    sha: CommitSha
    at: datetime
    """When it was committed, in UTC."""
    author: str
    subject: str
    tags: tuple[str, ...]
    trailers: Mapping[str, str]
    added: tuple[str, ...] = ()
    """Files that it added, of those that were asked for."""


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """A file that two commits have differently."""

    path: str
    before: str
    """Id of the blob; empty: there was none."""
    after: str


class History(Protocol):
    """Commits of workspaces, to read. Raises ``BrokenWorkspace`` for a repository that git cannot read."""

    def log(
        self,
        workspace: Workspace,
        limit: int | None = None,
        *,
        tip: str = "",
        steps: Sequence[str] = (),
        paths: Sequence[str] = (),
        archived: bool = False,
        unpushed: bool = False,
    ) -> tuple[Commit, ...]:
        """Return the newest commits of the branch, newest first; empty if it has none.

        Args:
            tip: a commit to begin at instead.
            steps: only commits of these steps of sessions.
            paths: only commits that changed these files or folders, with what they added there.
            archived: those that were set aside and are not on the branch any more.
            unpushed: only those that the remote is not known to have.
        """
        ...

    def between(
        self, workspace: Workspace, before: str, after: str, paths: Sequence[str]
    ) -> tuple[ChangedFile, ...]:
        """Return the files below ``paths`` that two commits have differently."""
        ...

    def lines_between(self, workspace: Workspace, before: str, after: str, paths: Sequence[str]) -> str:
        """Return how the files below ``paths`` differ, as ``git diff`` shows it."""
        ...

    def at(
        self, workspace: Workspace, names: Sequence[str], longest: int | None = None
    ) -> tuple[str | None, ...]:
        """Return the text of each blob (an id, or ``commit:path``), in their order.

        Args:
            longest: bytes; None: any.

        Returns:
            None where there is no such blob, or where it is longer.
        """
        ...

    def commit(self, workspace: Workspace, named: str) -> CommitSha | None:
        """Return the id of the commit that an id, a tag or ``HEAD`` (the branch) means; None if none does."""
        ...

    def holds(self, workspace: Workspace, commit: str) -> bool:
        """Whether the branch reaches a commit, given by its whole id."""
        ...

    def is_checked_out(self, workspace: Workspace) -> bool:
        """Whether the folder shows the branch."""
        ...

    def edited(self, workspace: Workspace, paths: Sequence[str]) -> tuple[str, ...]:
        """Return those of ``paths`` that the folder has otherwise than what it shows, new ones too."""
        ...

    def remote(self, workspace: Workspace) -> RemoteBranch:
        """Return the remote's branch as last fetched, beside ours."""
        ...

    def ask_remote(self, workspace: Workspace) -> bool:
        """Ask the remote for its branches; False if there is none. Raises if it does not answer."""
        ...

    def clone(self, workspace: Workspace) -> str:
        """Return the name under which this clone keeps its own log; empty if it has none."""
        ...

    def private_folder(self, workspace: Workspace) -> Path:
        """Return the folder of what is kept about this worktree and is no part of it; it may be missing."""
        ...
