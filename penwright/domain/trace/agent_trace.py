"""The ledger as Agent Trace 0.1.0, line by line, and back to the byte: a metadata key keeps each record.

A file or conversation without lines (a deletion, say) is in that record alone.
"""

import re
import string
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass

from pydantic import ValidationError

from penwright.domain.trace.chain import Raw, SegmentLine, canonical, line_of, read_lines
from penwright.domain.trace.mentions import instant
from penwright.domain.trace.reading import lines, parse_record
from penwright.domain.trace.reports.people import commits_of
from penwright.domain.trace.source import TraceSource
from schemas.agent_trace import (
    VERSION,
    AgentContributor,
    AgentConversation,
    AgentFile,
    AgentRange,
    AgentRelated,
    AgentTool,
    AgentTrace,
    AgentVcs,
)
from schemas.trace import Author, Conversation, Related, TracedCommit, TracedFile

KEY = "dev.penwright"
"""Metadata key of the record."""

_LONGEST_MODEL = 250
_PLAIN = frozenset(f"{string.ascii_letters}{string.digits}-._~".encode())
_RESERVED = frozenset(b":/?#[]@!$&'()*+,;=%")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{1,15}:(?=[^\s])")


@dataclass(frozen=True, slots=True)
class Exchanged:
    """One line of the ledger after the export: its line of Agent Trace, or the fault."""

    segment: str
    number: int
    """Line of the segment, from 1."""
    line: bytes = b""
    """Line of the export; empty if there is none."""
    fault: str = ""
    """Reason why it was left out, or why its revision is not known."""


def exchanged(source: TraceSource) -> Iterator[Exchanged]:
    """Every line of the ledger, in its order; a duplicate is left out."""
    records = (placed.line.record for placed in lines(source))
    commits = commits_of(source, {str(each.get("id")) for each in records if each})
    for placed in lines(source):
        line, fault = _said(placed.line, commits)
        yield Exchanged(placed.segment, placed.line.number, line, fault)


def _said(line: SegmentLine, commits: Mapping[str, TracedCommit]) -> tuple[bytes, str]:
    if line.record is None or line.fault:
        return b"", line.fault
    commit = commits.get(str(line.record.get("id")))
    try:
        trace = exported(line.record, commit.sha if commit else None)
    except Unexportable as error:
        return b"", str(error)
    return export_line(trace), "" if commit else "NO_COMMIT"


@dataclass(frozen=True, slots=True)
class Imported:
    """One line of an imported file."""

    number: int
    """From 1."""
    record: Raw | None
    """None if the line is no unaltered record of ours."""
    reason: str = ""
    """Reason why there is no record; empty if there is one."""


class _NotOurs(Exception):
    """A line is no unaltered record of ours; the message says why."""


def imported(lines: Iterable[bytes]) -> Iterator[Imported]:
    """Every line that is not blank."""
    for number, row in enumerate(lines, start=1):
        if row.strip():
            try:
                yield Imported(number, _record(row.strip(b"\r\n")))
            except _NotOurs as error:
                yield Imported(number, None, str(error))


def _record(row: bytes) -> Raw:
    """The record of a line of the ledger or of an export."""
    line = next(read_lines(row + b"\n"))
    if line.record is not None and "schema" in line.record:
        if line.fault:
            raise _NotOurs(line.fault)
        return line.record
    try:
        return _exported_record(AgentTrace.model_validate_json(row))
    except ValidationError as error:
        why = error.errors(include_url=False, include_input=False)[0]["msg"]
        raise _NotOurs(f"it is no line of a ledger, and not valid Agent Trace: {why}") from None


def _exported_record(trace: AgentTrace) -> Raw:
    """Whatever was changed shows: in the record's own hash, or in that it is not what we would export."""
    ours = (trace.metadata or {}).get(KEY)
    record = ours.get("record") if isinstance(ours, dict) else None
    if not isinstance(record, dict):
        raise _NotOurs("it is a record by another tool")
    try:
        altered = exported(record, trace.vcs.revision if trace.vcs else None) != trace
    except Unexportable:
        altered = True
    if altered or next(read_lines(line_of(record))).fault:
        raise _NotOurs("it was altered after it was exported")
    return record


class Unexportable(Exception):
    """A record the format cannot say; the message says why."""


def exported(raw: Raw, revision: str | None) -> AgentTrace:
    """A record of the ledger in the format; ``revision``: the commit that introduced it, if one is known.

    Raises:
        Unexportable: it is no record, or has a value that the format forbids.
    """
    try:
        record = parse_record(line_of(raw))
        return AgentTrace(
            version=VERSION,
            id=record.id,
            timestamp=instant(record).isoformat().replace("+00:00", "Z"),
            vcs=AgentVcs(type="git", revision=revision) if revision else None,
            tool=AgentTool(name=record.tool.name, version=record.tool.version),
            files=[_file(each) for each in record.files if any(talk.ranges for talk in each.conversations)],
            metadata={KEY: {"record": raw}},
        )
    except ValidationError as error:
        raise Unexportable(_first(error)) from error


def export_line(trace: AgentTrace) -> bytes:
    """One line of the export."""
    return canonical(trace.model_dump(mode="json", exclude_none=True)) + b"\n"


def as_uri(kind: str, value: str) -> str:
    """``value`` if it is a URI already, otherwise a URN of ours."""
    if _SCHEME.match(value):
        return _quoted(value, _PLAIN | _RESERVED)
    return f"urn:penwright:{_quoted(kind) or 'thing'}:{_quoted(value)}"


def _quoted(text: str, kept: Set[int] = _PLAIN) -> str:
    return "".join(chr(byte) if byte in kept else f"%{byte:02X}" for byte in text.encode())


def _file(file: TracedFile) -> AgentFile:
    shown = [_conversation(each) for each in file.conversations if each.ranges]
    return AgentFile(path=file.relative_path, conversations=shown)


def _conversation(talk: Conversation) -> AgentConversation:
    return AgentConversation(
        url=as_uri("conversation", talk.url),
        contributor=_contributor(talk.contributor),
        ranges=[
            AgentRange(
                start_line=row.start_line,
                end_line=row.end_line,
                content_hash=row.content_hash,
                contributor=_contributor(row.contributor) if row.contributor else None,
            )
            for row in talk.ranges
        ],
        related=[_related(each) for each in talk.related] or None,
    )


def _contributor(author: Author) -> AgentContributor:
    model = (author.model_identifier or "")[:_LONGEST_MODEL]
    return AgentContributor.model_validate({"type": author.entity_type.lower(), "model_id": model or None})


def _related(related: Related) -> AgentRelated:
    kind = "intent" if related.type == "specification" else related.type
    return AgentRelated(type=related.type, url=as_uri(kind, related.value))


def _first(error: ValidationError) -> str:
    problem = error.errors(include_url=False, include_input=False)[0]
    return f"{'.'.join(map(str, problem['loc']))}: {problem['msg']}"
