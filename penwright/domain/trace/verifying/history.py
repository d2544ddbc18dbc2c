"""Levels 2 and 3 along the branch: each commit against its records."""

from collections import deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, pairwise

from penwright.domain.intents.governed import GovernedPaths
from penwright.domain.text.blocks import blocks_in
from penwright.domain.text.comparing.changes import BlockChange, changes_of
from penwright.domain.trace.chain import followed_from
from penwright.domain.trace.layout import LEDGER
from penwright.domain.trace.reading import ids_of, record_in, records_in
from penwright.domain.trace.source import TraceSource
from penwright.domain.trace.verifying.anchors import standing_heads
from penwright.domain.trace.verifying.entries import FileChange, RecordEntry
from penwright.domain.trace.verifying.ledger import LedgerView
from penwright.domain.trace.verifying.policy import RuleBook, policy_faults, record_finding
from penwright.domain.trace.verifying.report import finding
from penwright.domain.trailers import CONTRIBUTOR, TRANSPLANTED
from schemas.trace import Anchor, Finding, PathChange, TracedCommit, TraceRecord

_COMPARED_COMMITS, _COMPARED_BYTES = 200, 16 * 1024 * 1024
"""Newest commits, and bytes of text, whose blocks are compared again unless all of them are asked for."""
_SQUASHES = 50
"""Commits that are looked through for lines they brought in without naming them."""


@dataclass(slots=True)
class HistoryCheck:
    """Checks the commits of a branch, parents before children."""

    source: TraceSource
    view: LedgerView
    anchors: Sequence[Anchor]
    """The log outside the branch; empty if none is known."""
    since: str | None
    """Commit before the first one that is looked at."""
    strict: bool = False
    named: dict[str, int] = field(default_factory=dict)
    """Id of a record -> number of the first commit that answers for it."""
    by_hand: dict[str, int] = field(default_factory=dict)
    """Path -> number of the newest commit that changed it outside a session."""
    compared: int = 0
    """Commits whose every block was compared with what their records name."""
    traced: int = 0
    _number: int = 0
    _log_began: bool = False
    _newest: deque[tuple[TracedCommit, Sequence[RecordEntry]]] = field(
        default_factory=lambda: deque(maxlen=_COMPARED_COMMITS)
    )
    _unnamed: set[str] = field(default_factory=set)
    """Commits that name no record."""
    _rules: RuleBook = field(init=False)
    _governed: GovernedPaths = field(init=False)
    _anchored: Collection[str] = field(init=False)
    """Hashes that the log names as heads."""
    _segment: tuple[str, Sequence[bytes]] = ("", ())

    def __post_init__(self) -> None:
        self._anchored = {head for anchor in self.anchors for head in anchor.heads}
        self._rules = RuleBook(self.source)
        self._governed = GovernedPaths(self.source.profile)

    def commit(self, commit: TracedCommit) -> Sequence[Finding]:
        """Findings about one commit and its records."""
        self._number += 1
        rules = self._rules.before(commit)
        found: list[Finding] = []
        ids = ids_of(commit)
        entries = list(filter(None, map(self.view.entries.get, ids)))
        for each in ids:
            self.named.setdefault(each, self._number)
        if entries:
            self.traced += 1
            found += self._against_records(commit, entries)
            found += self._named_paths(commit, entries)
            if self.strict:
                found += self._blocks(commit, entries, self._changed(commit)[0])
            else:
                self._newest.append((commit, entries))
        if len(entries) < len(ids):
            found += self._missing(commit, ids)
        elif not ids:
            found += self._untraced(commit)
        found += policy_faults(self.source, commit, entries, rules)
        self._rules.learn(commit, rules)
        return found

    def _missing(self, commit: TracedCommit, ids: Sequence[str]) -> Iterator[Finding]:
        for each in ids:
            if each not in self.view.entries:
                message = f"{commit.sha[:12]} names record {each}, which is not in the ledger"
                yield finding("RECORD_MISSING", message, commit=commit.sha, record=each)

    def finish(self) -> Iterator[Finding]:
        """Findings that need the whole history."""
        left = _COMPARED_BYTES
        for commit, entries in reversed(self._newest):
            changed, size = self._changed(commit)
            left -= size
            if left < 0:
                break
            yield from self._blocks(commit, entries, changed)
        if self.compared < self.traced:
            message = f"the blocks of {self.compared:,} of {self.traced:,} commits were compared again"
            yield finding("BLOCKS_NOT_COMPARED", message)
        if not self.since:
            yield from self._uncommitted()

    def _uncommitted(self) -> Iterator[Finding]:
        """Records that no commit names."""
        left = {each.id: each for each in self.view.entries.values() if each.id not in self.named}
        if not left:
            return
        links = {entry.hash: entry.prev for entry in self.view.entries.values()}
        vouched = followed_from(standing_heads(self.anchors), links)
        for sha, change in islice(self._silently_changed(), _SQUASHES):
            for each in self._brought_in(change) & left.keys():
                yield _nameless(left.pop(each), vouched, sha)
        for entry in left.values():
            yield _nameless(entry, vouched)

    def _silently_changed(self) -> Iterator[tuple[str, PathChange]]:
        """Commits that changed the ledger and name no record; the history is read again for it."""
        for commit in self.source.commits(since=self.since):
            if commit.sha in self._unnamed:
                yield from ((commit.sha, change) for change in commit.paths if change.path == LEDGER)

    def _brought_in(self, change: PathChange) -> set[str]:
        old = set((self._content(change.before) or b"").split(b"\n"))
        rows = b"\n".join(row for row in (self._content(change.after) or b"").split(b"\n") if row not in old)
        return {record.id for record in records_in([rows])}

    def _against_records(self, commit: TracedCommit, entries: Sequence[RecordEntry]) -> Iterator[Finding]:
        heads = commit.trailers.get("Trace-Head", "").split(",")
        short, last = commit.sha[:12], entries[-1]
        hashes = {entry.hash for entry in entries}
        other = len(heads) == 1 and commit.trailers.get("Mutation-Class") != last.header.coarse
        if last.hash not in heads or not hashes.issuperset(heads) or other:
            yield record_finding(last, "TRAILER_MISMATCH", f"{short} says otherwise than its record", commit)
        elif self._anchored:
            known = last.hash in self._anchored
            # A log that begins later than the ledger says nothing of what was before.
            self._log_began = self._log_began or known
            if self._log_began and not known:
                yield record_finding(
                    last, "RECORD_UNANCHORED", f"{short} was recorded past the engine", commit
                )
        rewritten = entries[0].parent not in commit.parents
        if rewritten:
            yield record_finding(entries[0], "REBASED", f"{short} was made on another commit first", commit)
        if commit.paths:
            yield from self._contents(commit, entries, rewritten=rewritten)

    def _contents(
        self, commit: TracedCommit, entries: Sequence[RecordEntry], *, rewritten: bool
    ) -> Iterator[Finding]:
        """Whether the commit's contents are those its records speak of."""
        changes = {change.path: change for change in commit.paths}
        for path, (entry, steps) in _steps(entries).items():
            if _fits(steps, changes.get(path)):
                continue
            if not rewritten or not self._still_holds(changes.get(path), entries, path):
                yield record_finding(
                    entry, "BLOB_MISMATCH", f"{path!r} differs from its record", commit, path=path
                )

    def _still_holds(self, change: PathChange | None, entries: Sequence[RecordEntry], path: str) -> bool:
        """Whether a rewritten commit, made on another text, has every block its records name."""
        there = _hashes(self._content(change.after) if change else None)
        return all(
            row.block_hash in there
            for entry in entries
            for file in self._record(entry).files
            if file.relative_path == path
            for part in file.conversations
            for row in part.ranges
        )

    def _named_paths(self, commit: TracedCommit, entries: Sequence[RecordEntry]) -> Iterator[Finding]:
        recorded = {file.path for entry in entries for file in entry.files}
        recorded |= {file.path_before for entry in entries for file in entry.files if file.path_before}
        for change in commit.paths:
            if change.path not in recorded and change.path in self._governed:
                message = f"{commit.sha[:12]} changed {change.path!r}, which its record does not name"
                yield finding("PATH_UNTRACED", message, commit=commit.sha, path=change.path)

    def _untraced(self, commit: TracedCommit) -> Iterator[Finding]:
        governed = [change for change in commit.paths if change.path in self._governed]
        short, by = commit.sha[:12], commit.trailers.get(CONTRIBUTOR, "human")
        self._unnamed.add(commit.sha)
        if len(commit.parents) > 1:
            yield finding("MERGE_UNTRACED", f"{short} is a merge", commit=commit.sha)
        if not governed:
            return
        where = {"commit": commit.sha, "path": governed[0].path}
        if by == "human" or TRANSPLANTED in commit.trailers:
            self.by_hand.update(dict.fromkeys((change.path for change in governed), self._number))
            message = f"{short} by {commit.author} changed {len(governed)} file(s)"
            yield finding("HUMAN_UNTRACED", message, **where)
        else:
            # A book is laid out, and was written, before there is a ledger.
            code = "UNTRACED" if self.named or self.since else "BEFORE_LEDGER"
            yield finding(code, f"{short} changed {governed[0].path!r} without a record", **where)

    def _changed(self, commit: TracedCommit) -> tuple[Mapping[str, Sequence[BlockChange]], int]:
        """Changed blocks of a commit by path, and how many bytes had to be read."""
        texts: dict[str, tuple[bytes | None, bytes | None]] = {}
        for change in commit.paths:
            if change.path in self._governed:
                texts[change.path] = (self._content(change.before), self._content(change.after))
        size = sum(len(content or b"") for both in texts.values() for content in both)
        return changes_of(texts), size

    def _content(self, sha: str | None) -> bytes | None:
        return self.source.blob(sha) if sha else None

    def _blocks(
        self,
        commit: TracedCommit,
        entries: Sequence[RecordEntry],
        changed: Mapping[str, Sequence[BlockChange]],
    ) -> Iterator[Finding]:
        """Every block of every change again, against what the records name."""
        self.compared += 1
        come, gone = self._introduced_and_removed(entries)
        whole = {file.path for entry in entries for file in entry.files if file.op == "delete"}
        whole |= {file.path_before for entry in entries for file in entry.files}
        for path, listed in changed.items():
            for each in listed:
                if each.after is not None and each.after.hash in come.get(path, ()):
                    continue
                block = each.after or each.before
                if block is None or (each.after is None and (path in whole or block.hash in gone)):
                    continue
                what = f"line {block.start_line} of {path!r} in {commit.sha[:12]}"
                message = f"{what} has no record" if each.after else f"{what} is gone without a record"
                yield finding("BLOCK_UNTRACED", message, commit=commit.sha, path=path)

    def _introduced_and_removed(
        self, entries: Sequence[RecordEntry]
    ) -> tuple[Mapping[str, set[str]], set[str]]:
        """Block hashes the records bring in, by path, and those they take out."""
        come: dict[str, set[str]] = {}
        gone: set[str] = set()
        for entry in entries:
            for file in self._record(entry).files:
                held = come.setdefault(file.relative_path, set())
                if file.op == "rename":
                    held.update(_hashes(self._content(file.blob_after)))
                for part in file.conversations:
                    held.update(row.block_hash for row in part.ranges)
                    gone.update(row.before_block_hash for row in part.ranges if row.before_block_hash)
                    gone.update(row.block_hash for row in part.removed)
        return come, gone

    def _record(self, entry: RecordEntry) -> TraceRecord:
        """The whole record again; its segment is kept for the next one."""
        if self._segment[0] != entry.segment:
            blobs = {file.path: file.blob for file in self.view.source.ledger()}
            content = self.source.blob(blobs[entry.segment]) or b""
            self._segment = (entry.segment, content.split(b"\n"))
        record = record_in(self._segment[1][entry.line - 1])
        assert record is not None, "an entry is made of a sound line only"
        return record


def _nameless(entry: RecordEntry, vouched: Collection[str], brought_in: str = "") -> Finding:
    """The finding about a record that no commit names; ``brought_in``: by which commit it came."""
    came = (
        f"came in with {brought_in[:12]}, which does not name it" if brought_in else "is named by no commit"
    )
    code = "SQUASHED" if entry.hash in vouched else "RECORD_UNNAMED" if brought_in else "RECORD_UNCOMMITTED"
    found = record_finding(entry, code, f"record {entry.id} {came}")
    return found.model_copy(update={"commit": brought_in})


def _hashes(content: bytes | None) -> Collection[str]:
    return {block.hash for block in blocks_in(content)}


def _steps(entries: Sequence[RecordEntry]) -> Mapping[str, tuple[RecordEntry, Sequence[FileChange]]]:
    """Group the changes of a commit's records by file, in order; parts of one change count once."""
    found: dict[str, tuple[RecordEntry, list[FileChange]]] = {}
    for entry in entries:
        for file in entry.files:
            steps = found.setdefault(file.path, (entry, []))[1]
            if file not in steps:
                steps.append(file)
    return found


def _fits(steps: Sequence[FileChange], change: PathChange | None) -> bool:
    """Whether the steps lead from the content before to the content after."""
    for earlier, later in pairwise(steps):
        if later.op != "rename" and earlier.after != later.before:
            return False
    if change is None:
        # Re-wrapped back and forth, or a file that came and went within a squash.
        return steps[0].before == steps[-1].after
    first = None if steps[0].op == "rename" else steps[0].before
    return first == change.before and steps[-1].after == change.after
