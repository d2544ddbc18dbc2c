"""Levels 2, 3 and 5 along the branch: each commit against its records, and each record against its time."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import Protocol

from penwright.domain.intents.registry import REGISTRY, BrokenRegistry, Registry, read_registry
from penwright.domain.intents.scope import Scope
from penwright.domain.trace.changes import changes_of
from penwright.domain.trace.governed import is_governed
from penwright.domain.trace.verifying.ledger import Entry, LedgerView
from penwright.domain.trace.verifying.report import finding
from schemas.intents import IntentStatus
from schemas.trace import Finding, TracedCommit, TraceRecord

_CONTRIBUTOR = "Penwright-Contributor"


class Source(Protocol):
    """As much of ``penwright.ports.TraceSource`` as this needs."""

    def blob(self, sha: str) -> bytes | None: ...
    def at(self, commit: str, path: str) -> bytes | None: ...


@dataclass(slots=True)
class HistoryCheck:
    """Walks along the branch, parents before children."""

    source: Source
    view: LedgerView
    anchored: Collection[str]
    """Hashes that some log outside the branch names as heads; empty if no log is known."""
    since: str | None
    """Commit before the first one that is looked at."""
    records: dict[str, TraceRecord] | None = None
    """The records themselves, where every block is to be compared again."""
    named: set[str] = field(default_factory=set)
    """Ids that a commit answers for."""
    human_paths: set[str] = field(default_factory=set)
    """Paths somebody changed by hand."""
    _registry_blob: str | None = None
    _registries: dict[str, Registry | None] = field(default_factory=dict)
    _started: bool = False

    def commit(self, commit: TracedCommit) -> Iterator[Finding]:
        """Findings about one commit and its records."""
        registry = self._registry_before(commit)
        ids = [each for each in commit.trailers.get("Trace-Id", "").split(",") if each]
        entries = []
        for each in ids:
            entry = self.view.entries.get(each)
            self.named.add(each)
            if entry is None:
                message = f"{commit.sha[:12]} names record {each}, which is not in the ledger"
                yield finding("RECORD_MISSING", message, commit=commit.sha, record=each)
            else:
                entries.append(entry)
        yield from self._against_records(commit, entries)
        yield from self._coverage(commit, entries, traced=bool(ids))
        for entry in entries:
            yield from _policy(commit, entry, registry)

    def uncommitted(self) -> Iterator[Finding]:
        """Records no commit answers for."""
        for entry in self.view.entries.values():
            if entry.id not in self.named:
                yield _of(entry, "RECORD_UNCOMMITTED", "no commit names this record")

    def _against_records(self, commit: TracedCommit, entries: list[Entry]) -> Iterator[Finding]:
        if not entries:
            return
        told = commit.trailers.get("Trace-Head", "")
        if told != entries[-1].hash or commit.trailers.get("Mutation-Class") != entries[-1].coarse:
            yield _of(
                entries[-1], "TRAILER_MISMATCH", f"{commit.sha[:12]} says otherwise than its record", commit
            )
        elif self.anchored and told not in self.anchored:
            yield _of(
                entries[-1], "RECORD_UNANCHORED", f"{commit.sha[:12]} was recorded past the engine", commit
            )
        if entries[0].parent not in commit.parents:
            yield _of(entries[0], "REBASED", f"{commit.sha[:12]} was made on another commit first", commit)
        held = {change.path: change for change in commit.paths}
        for entry in entries:
            for path, op, before, after in entry.files:
                change = held.get(path)
                if change is None or (change.after, change.before if op != "rename" else before) != (
                    after,
                    before,
                ):
                    yield _of(entry, "BLOB_MISMATCH", f"{path!r} differs from its record", commit, path=path)

    def _coverage(self, commit: TracedCommit, entries: list[Entry], *, traced: bool) -> Iterator[Finding]:
        governed = [change for change in commit.paths if is_governed(change.path)]
        by = commit.trailers.get(_CONTRIBUTOR, "human")
        if not traced:
            if governed and by == "human":
                self.human_paths.update(change.path for change in governed)
                message = f"{commit.sha[:12]} by {commit.author} changed {len(governed)} file(s)"
                yield finding("HUMAN_UNTRACED", message, commit=commit.sha, path=governed[0].path)
            elif governed:
                # A book is laid out, and was written, before there is a ledger.
                code = "UNTRACED" if self.named or self.since else "BEFORE_LEDGER"
                message = f"{commit.sha[:12]} changed {governed[0].path!r} without a record"
                yield finding(code, message, commit=commit.sha, path=governed[0].path)
            elif len(commit.parents) > 1:
                yield finding("MERGE_UNTRACED", f"{commit.sha[:12]} is a merge", commit=commit.sha)
            return
        told = {path for entry in entries for path, *_ in entry.files}
        renamed = {before for entry in entries for _, op, before, _ in entry.files if op == "rename"}
        for change in governed:
            if change.path not in told and not (change.after is None and change.before in renamed):
                message = f"{commit.sha[:12]} changed {change.path!r}, which its record does not name"
                yield finding("PATH_UNTRACED", message, commit=commit.sha, path=change.path)
        if self.records is not None:
            yield from self._blocks(commit, entries)

    def _blocks(self, commit: TracedCommit, entries: list[Entry]) -> Iterator[Finding]:
        """Every block of every change again, against what the records name."""
        assert self.records is not None
        told = {
            (file.relative_path, each.block_hash)
            for entry in entries
            for file in self.records[entry.id].files
            for part in file.conversations
            for each in part.ranges
        }
        texts = {
            change.path: (self._content(change.before), self._content(change.after))
            for change in commit.paths
            if is_governed(change.path)
        }
        changed = changes_of(texts)
        for path, listed in changed.items():
            for each in listed:
                if each.after is not None and (path, each.after.hash) not in told:
                    message = f"line {each.after.start_line} of {path!r} in {commit.sha[:12]} has no record"
                    yield finding("BLOCK_UNTRACED", message, commit=commit.sha, path=path)

    def _content(self, sha: str | None) -> bytes | None:
        return self.source.blob(sha) if sha else None

    def _registry_before(self, commit: TracedCommit) -> Registry | None:
        """The registry at the commit's parent: what the gate went by."""
        parent = commit.parents[0] if commit.parents else None
        if not self._started and parent:
            content = self.source.at(parent, REGISTRY)
            self._registries["start"] = _registry(content)
            self._registry_blob = "start"
        self._started = True
        before = self._registry_blob
        for change in commit.paths:
            if change.path == REGISTRY:
                self._registry_blob = change.after
        if before is None:
            return None
        if before not in self._registries:
            self._registries[before] = _registry(self.source.blob(before))
        return self._registries[before]


def _registry(content: bytes | None) -> Registry | None:
    try:
        return read_registry(content)
    except BrokenRegistry:
        return None


def _policy(commit: TracedCommit, entry: Entry, registry: Registry | None) -> Iterator[Finding]:
    if entry.floor == "INTENT_EVOLUTION" and entry.coarse != entry.floor:
        yield _of(entry, "CLASS_UNDERSTATED", "an evolution is called a refactoring", commit)
    if entry.contributor != "AI" or "Approved-By" in commit.trailers:
        return
    if not entry.intent:
        yield _of(entry, "INTENT_MISSING", "a model wrote under no intent", commit)
        return
    intent = registry.find(entry.intent) if registry else None
    if intent is None:
        yield _of(entry, "INTENT_WAS_UNKNOWN", f"{entry.intent!r} was not in the registry", commit)
    elif intent.status is not IntentStatus.IN_PROGRESS:
        yield _of(entry, "INTENT_WAS_NOT_WRITABLE", f"{entry.intent!r} was {intent.status}", commit)
    elif intent.digest != entry.digest:
        yield _of(
            entry, "INTENT_WAS_OTHERWISE", f"{entry.intent!r} had changed since it was selected", commit
        )
    else:
        scope = Scope.of(intent.owned_scope)
        for path, *_ in entry.files:
            if not scope.may_own(path):
                yield _of(
                    entry, "SCOPE_WAS_EXCEEDED", f"{entry.intent!r} did not own {path!r}", commit, path=path
                )


def _of(entry: Entry, code: str, message: str, commit: TracedCommit | None = None, path: str = "") -> Finding:
    return finding(
        code,
        message,
        path=path or entry.segment,
        line=0 if path else entry.line,
        record=entry.id,
        commit=commit.sha if commit else "",
        intent=entry.intent,
    )
