"""Level 0: each line of a segment as a record, and what the other levels need of it."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from pydantic import ValidationError

from penwright.domain.trace.chain import Line, read_lines
from penwright.domain.trace.reading import parse_record
from schemas.trace import TracedFile, TraceRecord

_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
_BLOCK = re.compile(r"prose1:[0-9a-f]{32}")
_OBJECT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


class FileChange(NamedTuple):
    """One file of a record."""

    path: str
    op: str
    path_before: str
    before: str | None
    """Blob id."""
    after: str | None


class RecordHeader(NamedTuple):
    """What a record says of how its change came about; equal ones are kept once."""

    tool: str
    contributor: str
    intent: str
    digest: str
    """Of the intent's entry as selected."""
    coarse: str
    declared: str
    detail: str
    floor: str
    matched: tuple[str, ...]
    approver: str
    """Who approved a denial; empty if no approval was needed."""
    excused: tuple[str, ...]
    """Denials that were approved."""

    @classmethod
    def of(cls, record: TraceRecord) -> "RecordHeader":
        """The fields of a record."""
        mutation, intent, decision = record.mutation, record.intent, record.decision
        talks = (talk for file in record.files for talk in file.conversations)
        first = next(talks, None)
        return cls(
            tool=record.tool.name,
            contributor=first.contributor.entity_type if first else "UNKNOWN",
            intent=intent.id if intent else "",
            digest=intent.registry_digest if intent else "",
            coarse=mutation.coarse,
            declared=mutation.declared or "",
            detail=mutation.detail,
            floor=mutation.floor,
            matched=intent.matched if intent else (),
            approver=decision.by if decision else "",
            excused=decision.codes if decision else (),
        )


class RecordEntry(NamedTuple):
    """A record as the other levels need it; what it did to blocks is not kept."""

    id: str
    hash: str
    segment: str
    line: int
    parent: str
    """Commit it says it was made on."""
    header: RecordHeader
    files: tuple[FileChange, ...]
    prev: tuple[str, ...]
    """Hashes of the records it follows."""


class ReadLine(NamedTuple):
    """A line as it was found."""

    number: int
    hash: str
    """Empty where the line does not say."""
    prev: tuple[str, ...]
    record: TraceRecord | None
    fault: str = ""
    """A fault of ``chain.Line``, or ``RECORD_MALFORMED``: the hash is right, but the line is not a record."""
    why: str = ""


def parse_segment(content: bytes) -> Iterator[ReadLine]:
    """Every line of a segment; blank ones are skipped."""
    return map(_parse, read_lines(content))


def file_changes(record: TraceRecord) -> tuple[FileChange, ...]:
    """The files of a record."""
    return tuple(
        FileChange(file.relative_path, file.op, file.path_before or "", file.blob_before, file.blob_after)
        for file in record.files
    )


def _parse(line: Line) -> ReadLine:
    if line.fault:
        return ReadLine(line.number, line.hash, line.prev, None, line.fault)
    try:
        record = parse_record(line.row)
    except ValidationError as error:
        return _malformed(line, _first_problem(error))
    problem = next(_problems(record), "")
    return _malformed(line, problem) if problem else ReadLine(line.number, line.hash, line.prev, record)


def _malformed(line: Line, why: str) -> ReadLine:
    return ReadLine(line.number, line.hash, line.prev, None, "RECORD_MALFORMED", why)


def _first_problem(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in first["loc"])
    return f"{first['msg']} - at `${''.join(steps)}`"


def _problems(record: TraceRecord) -> Iterator[str]:
    """Values of the right type that no record can have, by JSON path."""
    if not _UUID.fullmatch(record.id):
        yield "invalid UUID - at `$.id`"
    if record.timestamp.tzinfo is None:
        yield "a time without a zone - at `$.timestamp`"
    if not _OBJECT.fullmatch(record.vcs.revision_id):
        yield "invalid object id - at `$.vcs.revision_id`"
    if not _DIGEST.fullmatch(record.op.id):
        yield "invalid digest - at `$.op.id`"
    if min(record.op.part, record.op.parts) < 1:
        yield "less than 1 - at `$.op.part` or `$.op.parts`"
    for number, file in enumerate(record.files):
        yield from (f"{problem} - at `$.files[{number}]`" for problem in _file_problems(file))


def _file_problems(file: TracedFile) -> Iterator[str]:
    if not file.relative_path:
        yield "empty path"
    for sha in (file.blob_before, file.blob_after):
        if sha is not None and not _OBJECT.fullmatch(sha):
            yield f"invalid object id {sha!r}"
    for talk in file.conversations:
        for row in talk.ranges:
            if not (_DIGEST.fullmatch(row.content_hash) and _BLOCK.fullmatch(row.block_hash)):
                yield "invalid hash of a block"
            if min(row.start_line, row.end_line) < 1:
                yield "line numbers below 1"
        if not all(_BLOCK.fullmatch(row.block_hash) for row in talk.removed):
            yield "invalid hash of a removed block"
