"""Levels 0 and 1: every line is a record, and the records form one chain."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from pydantic import ValidationError

from penwright.domain.trace.chain import SegmentLine, read_lines
from penwright.domain.trace.layout import LEDGER, MANIFEST, SEGMENT_BYTES
from penwright.domain.trace.manifest import ListedSegment, listed_as, read_manifest
from penwright.domain.trace.reading import parse_record
from penwright.domain.trace.source import TraceSource
from penwright.domain.trace.verifying.entries import RecordEntry, RecordHeader
from penwright.domain.trace.verifying.report import finding
from schemas.trace import Finding, LedgerFile, TraceRecord

_SLACK_S = 3600
"""Clocks of two machines may differ by this much."""
_LARGEST = 64 * SEGMENT_BYTES
"""Bytes of a segment beyond which it is not parsed: no engine wrote it."""


class _Held(NamedTuple):
    """A line that precedes one of its predecessors in the file."""

    segment: str
    line: SegmentLine


class _Closed(NamedTuple):
    """A closed segment as it is."""

    listed: ListedSegment
    hashes: frozenset[str]

    @classmethod
    def of(cls, path: str, content: bytes, lines: Sequence[SegmentLine]) -> "_Closed":
        return cls(listed_as(path, content, lines), frozenset(line.hash for line in lines if not line.fault))


@dataclass(slots=True)
class LedgerView:
    """The ledger as it was read: records one by one, each after those it follows."""

    source: TraceSource
    seen: Callable[[TraceRecord], None]
    """Called with every record, those it follows first, whatever the order of the lines."""
    entries: dict[str, RecordEntry] = field(default_factory=dict)
    """By id."""
    hashes: dict[str, float] = field(default_factory=dict)
    """Time of each record; 0 for one that cannot be read."""
    findings: list[Finding] = field(default_factory=list)
    _waiting: dict[str, list[_Held]] = field(default_factory=dict)
    _gone: set[str] = field(default_factory=set)
    _headers: dict[RecordHeader, RecordHeader] = field(default_factory=dict)
    """Equal headers are kept once: most of a hundred thousand are equal."""

    def read(self) -> None:
        """Read every segment, and compare the closed ones with their list."""
        closed: dict[str, _Closed | None] = {}
        altered: list[_Held] = []
        for segment in self.source.ledger():
            content = self._content(segment)
            lines = list(read_lines(content or b""))
            for line in lines:
                # Last, so that the line whose hash it carries comes first if it is there.
                if line.fault:
                    altered.append(_Held(segment.path, line))
                else:
                    self._take(segment.path, line)
            if segment.path != LEDGER:
                closed[segment.path] = None if content is None else _Closed.of(segment.path, content, lines)
        for held in altered:
            self._take(*held)
        self._release_orphans()
        self.findings += _manifest_faults(self.source.at(self.source.tip, MANIFEST) or b"", closed)

    def _content(self, segment: LedgerFile) -> bytes | None:
        """The content of a segment; None, and a finding, if it cannot be read."""
        path, content = segment.path, self.source.blob(segment.blob)
        if content is not None and len(content) <= _LARGEST:
            return content
        code = "SEGMENT_UNREADABLE" if content is None else "SEGMENT_TOO_LARGE"
        what = "cannot be read" if content is None else f"has {len(content)} bytes"
        self.findings.append(finding(code, f"{path} {what}", path=path))
        return None

    def _take(self, path: str, line: SegmentLine) -> None:
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

    def _enter(self, path: str, line: SegmentLine) -> None:
        if not line.fault and line.hash in self.hashes:
            self._say("RECORD_DOUBLED", path, line.number)
            return
        record = self._record(path, line)
        if line.hash:
            self.hashes.setdefault(line.hash, record.timestamp.timestamp() if record else 0.0)
        if record is None:
            return
        if record.id in self.entries:
            self._say("ID_DOUBLED", path, line.number, f": {record.id}")
            return
        latest = max((self.hashes.get(each, 0.0) for each in line.prev), default=0.0)
        if record.timestamp.timestamp() < latest - _SLACK_S:
            self._say("TIME_BACKWARDS", path, line.number, f": {record.timestamp} is before what it follows")
        entry = RecordEntry.of(record, path, line.number)
        self.entries[record.id] = entry._replace(header=self._headers.setdefault(entry.header, entry.header))
        self.seen(record)

    def _record(self, path: str, line: SegmentLine) -> TraceRecord | None:
        """The record of a line; None, and a finding, if it holds none."""
        if line.fault:
            self._say(line.fault, path, line.number)
            return None
        try:
            return parse_record(line.row)
        except ValidationError as error:
            self._say("RECORD_MALFORMED", path, line.number, f": {_first_problem(error)}")
            return None

    def _say(self, code: str, path: str, line: int, more: str = "") -> None:
        self.findings.append(_line_finding(code, path, line, more))


def _line_finding(code: str, path: str, line: int, more: str) -> Finding:
    message = f"line {line} of {path}{more or ' ' + _SAYS.get(code, '')}"
    return finding(code, message, path=path, line=line)


def _first_problem(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in first["loc"])
    return f"{first['msg']} - at `${''.join(steps)}`"


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


def _manifest_faults(content: bytes, closed: Mapping[str, _Closed | None]) -> Iterator[Finding]:
    """Check the list of closed segments against the segments; None is one that could not be read."""
    listed: dict[str, list[ListedSegment]] = {}
    for number, each in enumerate(read_manifest(content), start=1):
        if each is not None:
            listed.setdefault(each.segment, []).append(each)
        else:
            message = f"line {number} of {MANIFEST} names no segment"
            yield finding("MANIFEST_MALFORMED", message, path=MANIFEST, line=number)
    for path, wanted in listed.items():
        if path not in closed:
            yield finding("SEGMENT_MISSING", f"{path} is listed but not there", path=path)
        elif (found := closed[path]) is not None and not _is_as_listed(found, wanted):
            yield finding("SEGMENT_CHANGED", f"{path} is not as it was closed", path=path)
    for path in closed:
        if path not in listed:
            yield finding("SEGMENT_UNLISTED", f"{path} is not listed in {MANIFEST}", path=path)


def _is_as_listed(found: _Closed, wanted: Sequence[ListedSegment]) -> bool:
    for each in wanted:
        if each.sha256 == found.listed.sha256:
            return each == found.listed
    # Two clones closed a segment of this name, and a merge kept the lines of both.
    merged = len(wanted) > 1 and found.listed.records >= max(each.records for each in wanted)
    return merged and all(found.hashes.issuperset(each.heads) for each in wanted)
