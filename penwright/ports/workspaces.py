"""Ports of git repositories that hold text, and of what is checked and recorded when text changes."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

from penwright.domain.trace.recorder.commit_context import RecordCase
from penwright.domain.trace.source import TraceSource
from schemas.base import Effect
from schemas.trace import Recorded
from schemas.workspace import (
    Claimed,
    Denial,
    FileVersion,
    LogFetched,
    MutationPlan,
    Previewed,
    Published,
    Pushed,
    Restored,
    RestorePlan,
    Snapshot,
    Synced,
    Workspace,
)


class Tree(Protocol):
    """A committed tree, read lazily."""

    def kind(self, path: str) -> Literal["file", "folder", "link", "submodule"] | None:
        """Return what is at ``path``; None if nothing."""
        ...

    def content(self, path: str) -> bytes | None:
        """Return a file's content; None if there is no file."""
        ...

    def names(self, folder: str) -> tuple[str, ...]:
        """Return the names in a folder (``""`` is the top); empty if there is no such folder."""
        ...

    def blob(self, path: str) -> str:
        """Return the blob id of a file; empty if there is no file."""
        ...


@dataclass(frozen=True, slots=True)
class GateCase:
    """A plan, the tree that it would change, and the resulting content of each changed path."""

    plan: MutationPlan
    tip: Tree
    after: Mapping[str, bytes | str | None]
    """New content by path. None removes the file; a blob id (str) is content that moved there."""
    op_id: str = ""
    """Op id under which the plan is published; an approval is valid for it only."""


class Gate(Protocol):
    """Checks a plan against the branch tip, and reads nothing else."""

    def judge(self, case: GateCase) -> Denial | None:
        """Return why the plan is denied; None allows it. What cannot be determined is denied."""
        ...


class Recorder(Protocol):
    """Records why text changes, in the commit that changes it."""

    def record(self, case: RecordCase) -> Recorded:
        """Return the ledger files and trailers to add to the commit; empty if no governed text changes."""
        ...

    def heads(self, tip: Tree) -> tuple[str, ...]:
        """Return the hashes of the ledger's newest records at ``tip``; empty if none can be read."""
        ...


class Workspaces(Protocol):
    """Git repositories that hold text. All calls block; all effects are idempotent by ``op_id``."""

    def kept_open(self, workspace: Workspace) -> AbstractContextManager[None]:
        """Let the calls that this thread makes on ``workspace`` inside share one opened repository."""
        ...

    def check(self, workspace: Workspace) -> None:
        """Raise ``BrokenWorkspace`` if the repository is in a state that we must not touch."""
        ...

    def preview(
        self,
        workspace: Workspace,
        effect: Effect,
        patterns: Sequence[str],
        *,
        known: Sequence[str],
        engine: Sequence[str] = (),
        names: Sequence[str] = (),
        tool: str = "",
        remote: bool = True,
    ) -> Previewed:
        """Read the files as ``sync`` would leave them; no commit is made, and no branch moves.

        Args:
            patterns: globs as for ``snapshot``; so are ``names``.
            known: as for ``sync``; so is ``engine``.
            tool: the tool that is to publish afterwards.
            remote: fetch, and take in what the remote has; else only people's unsaved edits.

        Raises:
            BrokenWorkspace: ``unrelated-histories``.
        """
        ...

    def sync(
        self,
        workspace: Workspace,
        effect: Effect,
        *,
        known: Sequence[str],
        engine: Sequence[str],
        after: Previewed | None = None,
    ) -> Synced:
        """Commit people's edits under their names, fetch, and merge the remote branch.

        People's edits are those since the newest commit with a ``Penwright-Sync`` trailer.

        Args:
            known: globs of untracked paths that may be committed.
            engine: globs of files that the engine owns; their changes are never reported as a person's.
            after: the preview just before, whose fetch is not repeated.
        """
        ...

    def snapshot(
        self,
        workspace: Workspace,
        patterns: Sequence[str],
        *,
        names: Sequence[str] = (),
        at: str | None = None,
    ) -> Snapshot:
        """Read the files that match ``patterns`` (globs) at ``at``, or at the branch tip.

        ``names``: globs of files of which only the blob ids are read, because they may be long.
        """
        ...

    def text(self, workspace: Workspace, blob: str) -> str | None:
        """Return the text of a blob by its id; None if the repository has no such blob, or it is not text."""
        ...

    def save_human_edits(
        self,
        workspace: Workspace,
        effect: Effect,
        *,
        known: Sequence[str],
        engine: Sequence[str],
        left: Sequence[str] = (),
    ) -> tuple[str, ...]:
        """Commit a person's unsaved edits under their name, without fetching; returns the paths.

        ``left``: paths whose edits stay in the folder.
        """
        ...

    def find(self, workspace: Workspace, effect: Effect) -> Published | None:
        """Return what an earlier attempt of ``effect`` published, with its trailers; None if nothing."""
        ...

    def publish(self, plan: MutationPlan, effect: Effect) -> Published:
        """Commit ``plan``. Every change of text goes through this method."""
        ...

    def push(self, workspace: Workspace, effect: Effect) -> Pushed:
        """Push branch, tags and archives to the remote, without force."""
        ...

    def claim(self, workspace: Workspace, effect: Effect) -> Claimed:
        """Push the commit of ``effect``, which is the newest, and its tag: both or none.

        If the remote has moved meanwhile, the commit is taken back, so that it can be planned again on what
        the remote has now.

        Raises:
            RemoteUnavailable: the remote did not answer; the commit stays.
        """
        ...

    def take_back(self, workspace: Workspace, effect: Effect) -> bool:
        """Undo what the engine committed and merged for ``effect`` and its parts; people's saved edits stay.

        Returns:
            False, and nothing is undone, if something else is the newest, or the remote has it.
        """
        ...

    def restore(
        self,
        workspace: Workspace,
        effect: Effect,
        *,
        target: str | None,
        undo: bool,
        known: Sequence[str] = (),
        listed: str = "",
    ) -> Restored:
        """Archive everything since ``target``, including unsaved edits, and roll back to it; or undo that.

        Args:
            known: globs of untracked paths to archive too; they stay in the worktree.
            listed: digest of the plan that was shown; empty: none was.

        Raises:
            Refused: ``stale-revision``, where the book is not as that plan found it.
        """
        ...

    def archive(self, workspace: Workspace, effect: Effect, *, known: Sequence[str] = ()) -> Restored:
        """Archive the present state and change nothing; done before a reset, so that undo can restore it."""
        ...

    def maintain(self, workspace: Workspace) -> bool:
        """Pack the repository if it has grown; returns whether it was packed."""
        ...

    def pack(self, workspace: Workspace) -> int | None:
        """Pack what sessions left loose, whatever its size; returns the bytes freed, None if there is little.

        Raises ``WorkspaceBusy`` at once while another process changes the repository.
        """
        ...

    def fetch_log(self, workspace: Workspace, *, anyway: bool = False) -> LogFetched:
        """Fetch the branch and the logs of the ledger if no log is known here, or ``anyway``.

        Moves no branch, takes 20 seconds at most, asks no questions, and raises nothing for a silent remote.
        """
        ...

    def unpushed(self, workspace: Workspace) -> int:
        """Count the commits of the branch that the remote is not known to have; 0 without a remote."""
        ...

    def changed_at(self, workspace: Workspace, path: str) -> datetime | None:
        """Return when the newest commit that changed ``path`` was made; None if no commit did."""
        ...

    def versions(self, workspace: Workspace, path: str, *, limit: int = 50) -> tuple[FileVersion, ...]:
        """Return the newest commits that changed ``path``, newest first; empty if none did."""
        ...

    def tags(self, workspace: Workspace) -> tuple[str, ...]:
        """Return the session tags since the last reset, oldest first."""
        ...

    def settle_lost(
        self,
        workspace: Workspace,
        effect: Effect,
        *,
        accept: bool,
        known: Sequence[str] = (),
        listed: str = "",
    ) -> Restored:
        """Decide on a session that the remote lost: take it out here as well, or let it be pushed again.

        Args:
            listed: digest of the plan to take it out that was shown; empty: none was.

        Raises:
            Refused: ``nothing-lost``; ``remote-not-asked``; ``ledger-damaged``; ``stale-revision``, where the
                book or the remote is not as that plan found it.
        """
        ...

    def planned_acceptance(self, workspace: Workspace, *, known: Sequence[str] = ()) -> RestorePlan:
        """Ask the remote, and return what ``settle_lost`` would take out now; it raises as that does."""
        ...

    def planned(
        self, workspace: Workspace, *, target: str | None, undo: bool, known: Sequence[str] = ()
    ) -> RestorePlan:
        """Return what ``restore`` would do now; it raises as that does."""
        ...

    def lost(self, workspace: Workspace) -> str:
        """A clause that names what the remote lost, while no one has decided on it; else empty."""
        ...

    def can_undo(self, workspace: Workspace) -> bool:
        """Whether a rollback or reset of the branch is left to undo."""
        ...

    def trace(self, workspace: Workspace) -> AbstractContextManager[TraceSource]:
        """Open the ledger and its history at the tip for reading."""
        ...

    def tree(self, workspace: Workspace) -> AbstractContextManager[Tree]:
        """Open the files at the tip for reading, from one thread at a time."""
        ...
