"""Levels 0 and 1: every line is a record, and the records form one chain."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from penwright.domain.trace.chain import digest
from penwright.domain.trace.layout import LEDGER, MANIFEST, SEGMENT_BYTES
from penwright.domain.trace.manifest import ListedSegment, read_manifest
from penwright.domain.trace.source import TraceSource
from penwright.domain.trace.verifying.lines import (
    ReadLine,
    RecordEntry,
    RecordHeader,
    file_changes,
    parse_segment,
)
from penwright.domain.trace.verifying.report import VerifyState, finding
from schemas.trace import Finding, LedgerFile, TraceRecord

_SLACK_S = 3600
"""Clocks of two machines may differ by this much."""
_LARGEST = 64 * SEGMENT_BYTES
"""Bytes of a segment beyond which it is not parsed: no engine wrote it."""


class _Held(NamedTuple):
    """A line that precedes one of its predecessors in the file."""

    segment: str
    line: ReadLine


@dataclass(slots=True)
class LedgerView:
    """The ledger as far as it was read: records one by one, each after those it follows."""

    source: TraceSource
    state: VerifyState | None
    seen: Callable[[TraceRecord], None]
    """Called with every new record, those it follows first, whatever the order of the lines."""
    entries: dict[str, RecordEntry] = field(default_factory=dict)
    """By id."""
    hashes: dict[str, float] = field(default_factory=dict)
    """Time of each record; 0 for one that an earlier verification vouches for."""
    heads: set[str] = field(default_factory=set)
    open: list[str] = field(default_factory=list)
    closed: dict[str, str] = field(default_factory=dict)
    """Blob id of each closed segment."""
    sealed: dict[str, str] = field(default_factory=dict)
    """``sha256:`` of each closed segment."""
    findings: list[Finding] = field(default_factory=list)
    parts: dict[str, "_Part"] = field(default_factory=dict)
    """What was read of each segment."""
    known: int = 0
    """Records an earlier verification vouches for."""
    extends: bool = True
    """Whether this is the ledger of ``state`` with something added; if not, all of it must be read."""
    _waiting: dict[str, list[_Held]] = field(default_factory=dict)
    _gone: set[str] = field(default_factory=set)
    _headers: dict[RecordHeader, RecordHeader] = field(default_factory=dict)
    """Equal headers are kept once: most of a hundred thousand are equal."""

    def read(self) -> None:
        """Read every segment that ``state`` does not vouch for."""
        vouched = frozenset(self.state.open) if self.state else frozenset[str]()
        if self.state:
            self.known = self.state.records
            self.heads.update(self.state.heads)
            self.hashes.update(dict.fromkeys((*vouched, *self.state.heads), 0.0))
        for path, content in self._contents(self._unknown()):
            self._enter_all(path, content, vouched)
        self._release_orphans()
        self.findings += _manifest_faults(self)
        found = vouched.issubset(each for part in self.parts.values() for each in part.hashes)
        kept = not self.state or self.state.closed.items() <= self.closed.items()
        self.extends = found and kept

    def _unknown(self) -> Iterator[LedgerFile]:
        """Segments that no earlier verification checked."""
        for segment in self.source.ledger():
            if segment.path != LEDGER:
                self.closed[segment.path] = segment.blob
                if self.state and self.state.closed.get(segment.path) == segment.blob:
                    self.sealed[segment.path] = self.state.sealed[segment.path]
                    continue
            yield segment

    def _contents(self, segments: Iterable[LedgerFile]) -> Iterator[tuple[str, bytes]]:
        """The contents of those that can be read; findings for the others."""
        for segment in segments:
            path, content = segment.path, self.source.blob(segment.blob)
            if content is not None and len(content) <= _LARGEST:
                yield path, content
                continue
            code = "SEGMENT_UNREADABLE" if content is None else "SEGMENT_TOO_LARGE"
            what = "cannot be read" if content is None else f"has {len(content)} bytes"
            self.findings.append(finding(code, f"{path} {what}", path=path))

    def _enter_all(self, path: str, content: bytes, vouched: Collection[str]) -> None:
        part = self.parts[path] = _Part()
        again: set[str] = set()
        for line in parse_segment(content):
            part.count += 1
            if line.hash:
                part.hashes.append(line.hash)
                part.prev.update(line.prev)
            if line.fault or line.hash not in vouched:
                self._take(path, line)
            elif line.hash in again:
                self._say("RECORD_DOUBLED", path, line.number)
            else:
                again.add(line.hash)
        if path == LEDGER:
            self.open = part.hashes
        else:
            self.sealed[path] = digest(content)

    def _take(self, path: str, line: ReadLine) -> None:
        """Enter a line once all its predecessors are known, then the lines that waited for it."""
        ready = [_Held(path, line)]
        while ready:
            held = ready.pop()
            missing = (each for each in held.line.prev if each not in self.hashes and each not in self._gone)
            if ahead := next(missing, ""):
                self._waiting.setdefault(ahead, []).append(held)
                continue
            self._enter(*held)
            ready += reversed(self._waiting.pop(held.line.hash, ()))

    def _release_orphans(self) -> None:
        """Report records whose predecessor is missing, and enter them all the same."""
        coming = {held.line.hash for listed in self._waiting.values() for held in listed}
        # Only the first of a chain of orphans lacks its parent; the others follow it, or form a cycle.
        for gone in [*(each for each in self._waiting if each not in coming), *self._waiting]:
            self._gone.add(gone)
            for path, line in self._waiting.pop(gone, ()):
                self._say(
                    "CHAIN_PARENT_MISSING", path, line.number, f": it follows {gone[:19]}…, which is gone"
                )
                self._take(path, line)

    def _enter(self, path: str, line: ReadLine) -> None:
        number, hash_, prev, record, fault, why = line
        if fault:
            self._say(fault, path, number, f": {why}" if why else "")
        if hash_:
            if hash_ in self.hashes:
                self._say("RECORD_DOUBLED", path, number)
                return
            self.hashes[hash_] = record.timestamp.timestamp() if record else 0.0
            self.heads.difference_update(prev)
            self.heads.add(hash_)
        if record is None:
            return
        if record.id in self.entries:
            self._say("ID_DOUBLED", path, number, f": {record.id}")
            return
        latest = max((self.hashes.get(each, 0.0) for each in prev), default=0.0)
        if record.timestamp.timestamp() < latest - _SLACK_S:
            self._say("TIME_BACKWARDS", path, number, f": {record.timestamp} is before what it follows")
        header = RecordHeader.of(record)
        header = self._headers.setdefault(header, header)
        self.entries[record.id] = RecordEntry(
            record.id, hash_, path, number, record.vcs.revision_id, header, file_changes(record), prev
        )
        self.seen(record)

    def _say(self, code: str, path: str, line: int, more: str = "") -> None:
        self.findings.append(_line_finding(code, path, line, more))


def _line_finding(code: str, path: str, line: int, more: str) -> Finding:
    message = f"line {line} of {path}{more or ' ' + _SAYS.get(code, '')}"
    return finding(code, message, path=path, line=line)


@dataclass(slots=True)
class _Part:
    """What one segment holds."""

    count: int = 0
    hashes: list[str] = field(default_factory=list)
    prev: set[str] = field(default_factory=set)


_SAYS = {
    "LINE_NOT_UTF8": "is not UTF-8",
    "LINE_NOT_JSON": "is no JSON object",
    "LINE_NOT_CANONICAL": "is not written as the engine writes",
    "LINE_TOO_LONG": "is longer than any record",
    "LINE_CUT": "ends in the middle",
    "LEGACY_RECORD": "is a record of an older kind that proves nothing",
    "SCHEMA_UNKNOWN": "has a schema this version does not know",
    "CHAIN_MEMBER_MISSING": "has no place in the chain",
    "CHAIN_HASH_MISMATCH": "does not have the hash it carries",
    "RECORD_DOUBLED": "is there already",
}


def _manifest_faults(view: LedgerView) -> Iterator[Finding]:
    """Check the list of closed segments against the segments."""
    content = view.source.at(view.source.tip, MANIFEST) or b""
    listed: dict[str, list[ListedSegment]] = {}
    for number, each in enumerate(read_manifest(content), start=1):
        if each is not None:
            listed.setdefault(each.segment, []).append(each)
        else:
            message = f"line {number} of {MANIFEST} names no segment"
            yield finding("MANIFEST_MALFORMED", message, path=MANIFEST, line=number)
    for path, wanted in listed.items():
        if path not in view.closed:
            yield finding("SEGMENT_MISSING", f"{path} is listed but not there", path=path)
        elif path in view.sealed and not _is_as_listed(view, path, wanted):
            yield finding("SEGMENT_CHANGED", f"{path} is not as it was closed", path=path)
    for path in view.closed:
        if path not in listed:
            yield finding("SEGMENT_UNLISTED", f"{path} is not listed in {MANIFEST}", path=path)


def _is_as_listed(view: LedgerView, path: str, wanted: Sequence[ListedSegment]) -> bool:
    part = view.parts.get(path)
    if part is None:
        # Not read again: an earlier verification vouches for what is in it.
        return any(each.sha256 == view.sealed[path] for each in wanted)
    present = set(part.hashes)
    for each in wanted:
        if each.sha256 == view.sealed[path]:
            whole = (sorted(present - part.prev), sorted(part.prev - present), part.count)
            return whole == (sorted(each.heads), sorted(each.roots), each.records)
    # Two clones closed a segment of this name, and a merge kept the lines of both.
    merged = len(wanted) > 1 and part.count >= max(each.records for each in wanted)
    return merged and all(present.issuperset(each.heads) for each in wanted)
