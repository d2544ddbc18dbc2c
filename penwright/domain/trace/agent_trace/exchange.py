"""The whole ledger in the exchange format, line by line."""

from collections.abc import Iterator
from dataclasses import dataclass

from penwright.domain.trace.agent_trace.exporting import Unexportable, export_line, exported
from penwright.domain.trace.agent_trace.legacy import Claim, Verdict, claims_of, exported_legacy, judged
from penwright.domain.trace.chain import Raw
from penwright.domain.trace.reading import LedgerLine, lines
from penwright.domain.trace.reports.introductions import added, revisions
from penwright.domain.trace.source import TraceSource

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
    revisions = _Revisions(source)
    for placed in lines(source):
        number = placed.line.number
        try:
            line, fault = _said(placed, revisions, verdicts)
        except Unexportable as error:
            line, fault = b"", str(error)
        yield Exchanged(placed.segment, number, line, fault)


def _said(placed: LedgerLine, revisions: "_Revisions", verdicts: dict[Claim, Verdict]) -> tuple[bytes, str]:
    record, fault = placed.line.record, placed.line.fault
    if record is not None and fault == _LEGACY:
        trace = exported_legacy(record, verdicts)
        return export_line(trace), "" if "vcs" in trace else "UNVERIFIABLE"
    if record is None or fault:
        raise Unexportable(fault)
    revision = revisions.of(record)
    return export_line(exported(record, revision)), "" if revision else "NO_COMMIT"


@dataclass(slots=True)
class _Revisions:
    """The commit of each record."""

    source: TraceSource
    known: dict[str, str] | None = None
    sought: bool = False

    def of(self, record: Raw) -> str | None:
        each = str(record.get("id"))
        if self.known is None:
            self.known = revisions(self.source)
        if each not in self.known and not self.sought:
            # Trailers that a squash lost are looked for once, for all records together.
            self.sought = True
            ids = {str(placed.line.record.get("id")) for placed in lines(self.source) if placed.line.record}
            missing = added(self.source, ids - self.known.keys())
            self.known |= {id_: commit.sha for id_, commit in missing.items()}
        return self.known.get(each)


def _legacy_claims(source: TraceSource) -> set[Claim]:
    old = lines(source, lambda row: b'"schema":' not in row)
    return {
        claim
        for placed in old
        if placed.line.fault == _LEGACY and placed.line.record
        for claim in claims_of(placed.line.record)
    }
