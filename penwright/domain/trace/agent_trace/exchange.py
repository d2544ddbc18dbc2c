"""The whole ledger in the exchange format, line by line."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from penwright.domain.trace.agent_trace.exporting import Unexportable, export_line, exported
from penwright.domain.trace.agent_trace.legacy import Claim, Verdict, claims_of, exported_legacy, judged
from penwright.domain.trace.reading import LedgerLine, lines
from penwright.domain.trace.reports.introductions import commits_of
from penwright.domain.trace.source import TraceSource
from schemas.trace import TracedCommit

_LEGACY = "LEGACY_RECORD"


@dataclass(frozen=True, slots=True)
class Exchanged:
    """What has become of one line of the ledger."""

    segment: str
    number: int
    """Line of the segment, from 1."""
    line: bytes = b""
    """Line of the export; empty if there is none."""
    fault: str = ""
    """Why it was left out, or why its revision is not known."""


def exchanged(source: TraceSource) -> Iterator[Exchanged]:
    """Every line of the ledger, in its order; a duplicate is left out."""
    verdicts = judged(source, _legacy_claims(source))
    records = (placed.line.record for placed in lines(source))
    commits = commits_of(source, {str(each.get("id")) for each in records if each})
    for placed in lines(source):
        number = placed.line.number
        try:
            line, fault = _said(placed, commits, verdicts)
        except Unexportable as error:
            line, fault = b"", str(error)
        yield Exchanged(placed.segment, number, line, fault)


def _said(
    placed: LedgerLine, commits: Mapping[str, TracedCommit], verdicts: dict[Claim, Verdict]
) -> tuple[bytes, str]:
    record, fault = placed.line.record, placed.line.fault
    if record is not None and fault == _LEGACY:
        trace = exported_legacy(record, verdicts)
        return export_line(trace), "" if "vcs" in trace else "UNVERIFIABLE"
    if record is None or fault:
        raise Unexportable(fault)
    commit = commits.get(str(record.get("id")))
    return export_line(exported(record, commit.sha if commit else None)), "" if commit else "NO_COMMIT"


def _legacy_claims(source: TraceSource) -> set[Claim]:
    old = lines(source, lambda row: b'"schema":' not in row)
    return {
        claim
        for placed in old
        if placed.line.fault == _LEGACY and placed.line.record
        for claim in claims_of(placed.line.record)
    }
