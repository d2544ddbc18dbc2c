"""What the trace is read from: git at one tip, and the index of the ledger in the store."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from schemas.base import CommitSha
from schemas.pipeline import PipelineProfile
from schemas.trace import Anchor, LedgerFile, TracedCommit, TraceRecord


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


class TraceIndex(Protocol):
    """Index of the ledger in the store. It may be lost: it is rebuilt from git."""

    def covered(self, subject: str) -> tuple[str, ...]:
        """Hashes of the newest records indexed for a book, sorted; empty if none are."""
        ...

    def extend(self, subject: str, records: Sequence[TraceRecord]) -> None:
        """Add records, each once."""
        ...

    def forget(self, subject: str) -> None:
        """Drop everything about a book, so that it can be indexed again."""
        ...

    def history(self, subject: str, intent: str, *, limit: int) -> tuple[TraceRecord, ...]:
        """Records of an intent, newest first; by time, then by hash."""
        ...

    def count(self, subject: str, intent: str) -> int:
        """How many records an intent has."""
        ...

    def origin(self, subject: str, block_hash: str) -> tuple[TraceRecord, ...]:
        """Records that introduced or removed a block with this hash, newest first, 20 at most."""
        ...

    def superseded(self, subject: str, blocks: Collection[str]) -> frozenset[str]:
        """Return the hashes among `blocks` that a record removed and no later record brought back."""
        ...

    def anchor(self, subject: str, anchor: Anchor) -> None:
        """Keep an entry of the log outside the branch, once."""
        ...

    def anchors(self, subject: str, *, since: Mapping[str, datetime] | None = None) -> tuple[Anchor, ...]:
        """Every kept entry, oldest first. ``forget`` leaves them: they are evidence.

        ``since``: by clone; older entries are left out.
        """
        ...
