"""Read records from the ledger. Damaged ones are left out and counted."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from pydantic import ValidationError

from penwright.domain.trace.chain import SegmentLine, linked, read_lines
from penwright.domain.trace.layout import LEDGER, MANIFEST, segment_number
from penwright.domain.trace.manifest import listed_segments, newest_of
from penwright.domain.trace.mentions import instant
from penwright.domain.trace.source import TraceSource
from schemas.trace import TracedCommit, TraceRecord

_HASHES = re.compile(rb"prose1:[0-9a-f]{32}")
_WHOLE_FILES = re.compile(rb'"op":"(?:delete|rename)"')

LineFilter = Callable[[bytes], bool]
"""Whether a line is looked at, by its bytes."""


@dataclass(frozen=True, slots=True)
class LedgerLine:
    """A line and its segment."""

    segment: str
    line: SegmentLine


@dataclass(frozen=True, slots=True)
class Reading:
    """Records by time, and how many damaged lines were left out."""

    records: tuple[TraceRecord, ...]
    left_out: int = 0


def lines(source: TraceSource, wanted: LineFilter | None = None) -> Iterator[LedgerLine]:
    """Every line, or those whose bytes are ``wanted``; a duplicate is left out."""
    return _lines_in(((each.path, source.blob(each.blob) or b"") for each in source.ledger()), wanted)


def records_in(segments: Iterable[bytes]) -> Iterator[TraceRecord]:
    """The records of some segments, by their contents, in the order of the lines."""
    found = (record_of(placed.line) for placed in _lines_in(("", content) for content in segments))
    return (record for record in found if record is not None)


def _lines_in(
    segments: Iterable[tuple[str, bytes]], wanted: LineFilter | None = None
) -> Iterator[LedgerLine]:
    seen: set[str] = set()
    for path, content in segments:
        for number, row in enumerate(content.split(b"\n"), start=1):
            if not row or (wanted is not None and not wanted(row)):
                continue
            line = next(read_lines(row + b"\n"))
            # An altered copy carries the hash of another line: it counts as damaged, never as that line.
            if not line.fault:
                if line.hash in seen:
                    continue
                seen.add(line.hash)
            yield LedgerLine(path, replace(line, number=number))


def read_records(source: TraceSource, wanted: LineFilter | None = None) -> Reading:
    """The records of those lines, the oldest first."""
    return _by_time(placed.line for placed in lines(source, wanted))


def hashes_named(row: bytes) -> list[bytes]:
    """The block hashes in a line, unparsed."""
    return _HASHES.findall(row)


def concerns_whole_files(row: bytes) -> bool:
    """Whether a line may be about every block of a file: it was deleted, or got another name."""
    return _WHOLE_FILES.search(row) is not None


def heads_of(source: TraceSource) -> tuple[str, ...]:
    """The newest records of the whole ledger: those that no other follows."""
    found = linked(read_lines(source.at(source.tip, LEDGER) or b""))
    return newest_of(found, listed_segments(source.at(source.tip, MANIFEST) or b""))


def records_of(source: TraceSource, commit: TracedCommit) -> Reading:
    """Find the records of a commit: by its trailers or, where a rewrite lost those, by its added lines."""
    ids = [each.encode() for each in ids_of(commit)]
    if ids:
        return read_records(source, lambda row: any(each in row for each in ids))
    return _by_time(line for line in added_lines(source, commit) if line.record is not None)


def ids_of(commit: TracedCommit) -> tuple[str, ...]:
    """Ids of the records a commit says it made."""
    ids = commit.trailers.get("Trace-Id", "")
    if "," in ids:
        return tuple(filter(None, ids.split(",")))
    return (ids,) if ids else ()


def added_lines(source: TraceSource, commit: TracedCommit) -> Iterator[SegmentLine]:
    """Lines of the ledger that are new with a commit; none for a merge."""
    before: set[bytes] = set()
    after: list[bytes] = []
    for change in commit.paths:
        if change.path == LEDGER or segment_number(change.path) is not None:
            before.update((source.blob(change.before or "") or b"").split(b"\n"))
            after += (source.blob(change.after or "") or b"").split(b"\n")
    new = dict.fromkeys(row for row in after if row and row not in before)
    return read_lines(b"".join(row + b"\n" for row in new))


def record_of(line: SegmentLine) -> TraceRecord | None:
    """The record of a line; None if the line is faulty or is not a record."""
    try:
        return None if line.fault else parse_record(line.row)
    except ValidationError:
        return None


def record_in(row: bytes) -> TraceRecord | None:
    """The record of one line without its end; None if it is damaged in any way."""
    line = next(read_lines(row), None)
    return record_of(line) if line else None


def parse_record(row: bytes) -> TraceRecord:
    """The record of a line without a fault. Raises ``ValidationError``; no value is converted to fit."""
    return TraceRecord.model_validate_json(row, strict=True)


def _by_time(found: Iterable[SegmentLine]) -> Reading:
    records: list[TraceRecord] = []
    left_out = 0
    for line in found:
        record = record_of(line)
        if record is None:
            left_out += 1
        else:
            records.append(record)
    return Reading(tuple(sorted(records, key=instant)), left_out)
