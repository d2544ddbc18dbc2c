"""Levels 0 and 1: every line is a record, and the records hang together."""

import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Protocol

from pydantic import ValidationError

from penwright.domain.trace.chain import Line, read_lines
from penwright.domain.trace.layout import LEDGER, MANIFEST
from penwright.domain.trace.verifying.report import VerifyState, finding
from schemas.trace import Finding, LedgerFile, TraceRecord

_SLACK = timedelta(hours=1)
"""Clocks of two machines may differ by this much."""


class Source(Protocol):
    """As much of ``penwright.ports.TraceSource`` as this needs."""

    def ledger(self) -> tuple[LedgerFile, ...]: ...
    def blob(self, sha: str) -> bytes | None: ...
    def at(self, commit: str, path: str) -> bytes | None: ...
    @property
    def tip(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Entry:
    """A record as the other levels need it; its blocks are not kept."""

    id: str
    hash: str
    segment: str
    line: int
    parent: str
    tool: str
    contributor: str
    intent: str
    digest: str
    declared: str
    coarse: str
    floor: str
    approved: bool
    files: tuple[tuple[str, str, str | None, str | None], ...]
    """Path, operation, blob ids before and after."""


@dataclass(slots=True)
class LedgerView:
    """The ledger as far as it was read."""

    entries: dict[str, Entry] = field(default_factory=dict)
    """By id."""
    hashes: set[str] = field(default_factory=set)
    named: set[str] = field(default_factory=set)
    open: list[str] = field(default_factory=list)
    closed: dict[str, str] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    known: int = 0
    """Records an earlier verification vouches for."""
    _times: dict[str, datetime] = field(default_factory=dict)
    _parents: list[tuple[str, int, str]] = field(default_factory=list)
    _sound: dict[str, tuple[int, str]] = field(default_factory=dict)
    """Records and digest of each closed segment that was read."""

    @property
    def heads(self) -> tuple[str, ...]:
        """Records that no other names."""
        return tuple(sorted(self.hashes - self.named))

    def read(
        self, source: Source, state: VerifyState | None, seen: Callable[[TraceRecord], None]
    ) -> "LedgerView":
        """Read every segment that is not as ``state`` knows it; ``seen`` gets each new record in order."""
        known = set(state.open) if state else set()
        if state:
            self.known = state.records
            self.hashes |= {*state.heads, *known}
        for segment in source.ledger():
            if segment.path != LEDGER:
                self.closed[segment.path] = segment.blob
                if state and state.closed.get(segment.path) == segment.blob:
                    continue
            content = source.blob(segment.blob) or b""
            self._segment(segment.path, content, known, seen)
        self._check_parents(state)
        self.findings += self._manifest(source, state)
        return self

    def _segment(
        self, path: str, content: bytes, known: set[str], seen: Callable[[TraceRecord], None]
    ) -> None:
        count = 0
        for line in read_lines(content):
            count += 1
            if path == LEDGER and line.hash:
                self.open.append(line.hash)
            if line.hash in known and not line.fault:
                self.named.update(line.prev)
                continue
            record = self._record(path, line)
            if record is not None:
                seen(record)
        if path != LEDGER:
            self._sound[path] = (count, f"sha256:{hashlib.sha256(content).hexdigest()}")

    def _record(self, path: str, line: Line) -> TraceRecord | None:
        if line.fault:
            self._say(line.fault, path, line.number)
        if line.hash:
            if line.hash in self.hashes:
                self._say("RECORD_DOUBLED", path, line.number)
                return None
            self.hashes.add(line.hash)
            self.named.update(line.prev)
            self._parents += [(path, line.number, parent) for parent in line.prev]
        if line.fault or line.record is None:
            return None
        try:
            record = TraceRecord.model_validate(line.record)
        except ValidationError as error:
            where = ".".join(map(str, error.errors()[0]["loc"]))
            self._say("RECORD_MALFORMED", path, line.number, f": {where}: {error.errors()[0]['msg']}")
            return None
        if record.id in self.entries:
            self._say("ID_DOUBLED", path, line.number, f": {record.id}")
            return None
        self.entries[record.id] = _entry(path, line, record)
        self._check_time(path, line, record.timestamp)
        return record

    def _check_time(self, path: str, line: Line, at: datetime) -> None:
        self._times[line.hash] = at
        newest = max((self._times[parent] for parent in line.prev if parent in self._times), default=at)
        if at < newest - _SLACK:
            self._say("TIME_BACKWARDS", path, line.number, f": {at.isoformat()} follows {newest.isoformat()}")

    def _check_parents(self, state: VerifyState | None) -> None:
        """Everything a record names must be there; the heads of a verified ledger stand for all of it."""
        for path, number, parent in self._parents:
            if parent not in self.hashes and not (state and path in state.closed):
                self._say("CHAIN_PARENT_MISSING", path, number, f": it follows {parent[:19]}…, which is gone")

    def _manifest(self, source: Source, state: VerifyState | None) -> Iterator[Finding]:
        """The list of closed segments against what is there."""
        content = source.at(source.tip, MANIFEST) or b""
        listed: dict[str, list[tuple[str, int]]] = {}
        for number, row in enumerate(content.splitlines(), start=1):
            try:
                entry = json.loads(row)
                listed.setdefault(entry["segment"], []).append((entry["sha256"], int(entry["records"])))
            except (ValueError, TypeError, KeyError):
                yield finding(
                    "MANIFEST_MALFORMED", f"line {number} names no segment", path=MANIFEST, line=number
                )
        for path, wanted in listed.items():
            if path not in self.closed:
                yield finding("SEGMENT_MISSING", f"{path} is listed but not there", path=path)
            elif path in self._sound:
                count, digest = self._sound[path]
                merged = len(wanted) > 1 and count >= max(each for _, each in wanted)
                if digest not in [each for each, _ in wanted] and not merged:
                    yield finding("SEGMENT_CHANGED", f"{path} is not as it was closed", path=path)
        for path in self.closed:
            if path not in listed:
                yield finding("SEGMENT_UNLISTED", f"{path} is not listed in {MANIFEST}", path=path)

    def _say(self, code: str, path: str, line: int, more: str = "") -> None:
        self.findings.append(
            finding(code, f"line {line} of {path}{more or ' ' + _SAYS.get(code, '')}", path=path, line=line)
        )


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
    "RECORD_DOUBLED": "stands there already",
}


def _entry(path: str, line: Line, record: TraceRecord) -> Entry:
    mutation, intent = record.mutation, record.intent
    authors = [part.contributor.entity_type for file in record.files for part in file.conversations]
    return Entry(
        id=record.id,
        hash=line.hash,
        segment=path,
        line=line.number,
        parent=record.vcs.revision_id,
        tool=record.tool.name,
        contributor=authors[0] if authors else "UNKNOWN",
        intent=intent.id if intent else "",
        digest=intent.registry_digest if intent else "",
        declared=mutation.declared or "",
        coarse=mutation.coarse,
        floor=mutation.floor.coarse,
        approved=record.decision is not None,
        files=tuple((f.relative_path, f.op, f.blob_before, f.blob_after) for f in record.files),
    )
