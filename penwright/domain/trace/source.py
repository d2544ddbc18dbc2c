"""Sources of the trace: git at one tip, and the log outside the branch in the store."""

from collections.abc import Iterator, Mapping
from typing import Protocol

from schemas.base import CommitSha
from schemas.pipeline import PipelineProfile
from schemas.trace import Anchor, LedgerFile, TracedCommit


class TraceSource(Protocol):
    """The ledger and the history it describes, read only. One source reads one workspace at one tip."""

    @property
    def tip(self) -> CommitSha:
        """The commit everything is read from."""
        ...

    @property
    def profile(self) -> PipelineProfile:
        """The kind of workspace it is."""
        ...

    def ledger(self) -> tuple[LedgerFile, ...]:
        """Segments at the tip: closed ones by number, then the open one."""
        ...

    def files(self) -> Mapping[str, str]:
        """Blob id of every file at the tip, by path."""
        ...

    def blob(self, sha: str) -> bytes | None:
        """A content; None if the repository does not have it."""
        ...

    def at(self, commit: str, path: str) -> bytes | None:
        """A file as it was at a commit; None if there was none."""
        ...

    def commits(self, *, since: str | None = None, bookkeeping: bool = True) -> Iterator[TracedCommit]:
        """Commits reachable from the tip and not from ``since``, parents before children.

        Without ``bookkeeping``, changes in the ledger's folder are left out, except those of the rules.
        """
        ...

    def reaches(self, commit: str) -> bool:
        """Whether the tip holds all of ``commit``."""
        ...

    def anchors(self, *, since: Mapping[str, str] | None = None) -> tuple[Anchor, ...]:
        """The log outside the branch, of every clone known here, each clone's oldest first.

        ``since``: an entry of each clone; where the log still holds it, older entries are left out.
        """
        ...


class TraceAnchors(Protocol):
    """The log outside the branch, as the store keeps it: evidence that a rewritten git cannot take away."""

    def anchor(self, subject: str, anchor: Anchor) -> None:
        """Keep an entry of the log outside the branch, once."""
        ...

    def anchors(self, subject: str) -> tuple[Anchor, ...]:
        """Every kept entry, oldest first."""
        ...
