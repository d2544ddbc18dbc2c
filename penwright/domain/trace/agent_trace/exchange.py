"""The whole ledger in the exchange format, line by line; and our own exports read back, to the byte."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from pydantic import ValidationError

from penwright.domain.trace.agent_trace.exporting import KEY, Unexportable, export_line, exported
from penwright.domain.trace.chain import Line, Raw, line_of, read_lines
from penwright.domain.trace.reading import lines
from penwright.domain.trace.reports.people import commits_of
from penwright.domain.trace.source import TraceSource
from schemas.agent_trace import AgentTrace
from schemas.trace import TracedCommit


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


def _said(line: Line, commits: Mapping[str, TracedCommit]) -> tuple[bytes, str]:
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
