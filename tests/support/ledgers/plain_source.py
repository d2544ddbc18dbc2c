"""A source of the ledger for tests: contents by path, without a repository."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha1

from penwright.domain.book.profile import BOOK_PROFILE
from penwright.domain.trace.layout import LEDGER, MANIFEST, is_ledger, segment_number, segment_path
from penwright.domain.trace.manifest import manifest_line
from schemas.base import CommitSha
from schemas.pipeline import PipelineProfile
from schemas.trace import Anchor, LedgerFile, TracedCommit, TraceRecord
from tests.support.ledgers.small_records import lines_of


def blob_of(content: bytes) -> str:
    """An id as git would give it, or nearly."""
    return sha1(content, usedforsecurity=False).hexdigest()


@dataclass
class PlainSource:
    """A ``TraceSource`` over contents by path; it has no history and records its reads."""

    contents: dict[str, bytes] = field(default_factory=dict)
    reads: list[str] = field(default_factory=list)

    @property
    def profile(self) -> PipelineProfile:
        """A book's."""
        return BOOK_PROFILE

    @property
    def tip(self) -> CommitSha:
        """Some commit."""
        return CommitSha("0" * 40)

    def put(self, *segments: Sequence[TraceRecord]) -> "PlainSource":
        """Let the ledger be these segments, the last one open."""
        self.contents = {path: content for path, content in self.contents.items() if not is_ledger(path)}
        manifest = b""
        for number, records in enumerate(segments[:-1], start=1):
            path, content = segment_path(number), lines_of(records)
            self.contents[path] = content
            manifest += manifest_line(path, content)
        if manifest:
            self.contents[MANIFEST] = manifest
        if segments:
            self.contents[LEDGER] = lines_of(segments[-1])
        return self

    def ledger(self) -> tuple[LedgerFile, ...]:
        """Segments by number, then the open one."""
        closed = sorted(filter(segment_number, self.contents), key=lambda path: segment_number(path) or 0)
        paths = [*closed, *([LEDGER] if LEDGER in self.contents else [])]
        return tuple(LedgerFile(path=path, blob=blob_of(self.contents[path])) for path in paths)

    def files(self) -> Mapping[str, str]:
        """Blob ids by path."""
        return {path: blob_of(content) for path, content in self.contents.items()}

    def blob(self, sha: str) -> bytes | None:
        """A content."""
        found = next(((path, each) for path, each in self.contents.items() if blob_of(each) == sha), None)
        self.reads += [found[0]] if found else []
        return found[1] if found else None

    def at(self, commit: str, path: str) -> bytes | None:
        """A file at the tip, for any commit."""
        return self.contents.get(path)

    def commits(self, *, since: str | None = None, bookkeeping: bool = True) -> Iterator[TracedCommit]:
        """None."""
        return iter(())

    def reaches(self, commit: str) -> bool:
        """Only the tip."""
        return commit == self.tip

    def anchors(self, *, since: Mapping[str, str] | None = None) -> tuple[Anchor, ...]:
        """None."""
        return ()
