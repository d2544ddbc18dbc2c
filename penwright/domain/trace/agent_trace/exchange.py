"""The whole ledger in the exchange format, line by line."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from penwright.domain.trace.agent_trace.exporting import Unexportable, export_line, exported
from penwright.domain.trace.chain import SegmentLine
from penwright.domain.trace.reading import lines
from penwright.domain.trace.reports.introductions import commits_of
from penwright.domain.trace.source import TraceSource
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


def _said(line: SegmentLine, commits: Mapping[str, TracedCommit]) -> tuple[bytes, str]:
    if line.record is None or line.fault:
        return b"", line.fault
    commit = commits.get(str(line.record.get("id")))
    try:
        trace = exported(line.record, commit.sha if commit else None)
    except Unexportable as error:
        return b"", str(error)
    return export_line(trace), "" if commit else "NO_COMMIT"
