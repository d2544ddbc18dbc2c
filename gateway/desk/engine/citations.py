"""Ports: citation scans, and audits of citations."""

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from gateway.desk.engine.pipelines import Runs, StartedRuns, Timetable
from schemas.citation_audit import CitationAuditInput, CitationAuditResult
from schemas.citation_scan import CitationScanInput, CitationScanResult, ScanReview
from schemas.citations import (
    CitationCounts,
    CitationDecision,
    CitationSearch,
)


class Scans(StartedRuns[CitationScanInput, CitationScanResult], Protocol):
    """Citation scans as commands see them; ``name`` is ``<novel>/<scene>``."""

    async def review(self, name: str) -> ScanReview | None:
        """Read the proposals of a running scan; None when none runs."""
        ...

    async def decide(self, name: str, decision: CitationDecision) -> CitationCounts:
        """Accept or reject proposals of a running scan."""
        ...

    async def search(self, name: str, wanted: CitationSearch) -> CitationCounts:
        """Have another work looked up by a running scan."""
        ...


@dataclass(frozen=True, slots=True)
class ScheduledAudit:
    """The audits of a document on a timetable."""

    subject: str
    """``<novel>/<scene>``."""
    next_run: datetime | None


class Audits(Runs, Protocol):
    """Audits as commands see them; ``name`` is ``<novel>/<scene>``, or ``files/<digest>``."""

    async def start(self, name: str, given: CitationAuditInput) -> bool:
        """Start an audit; False if one of that name runs already, which is left as it is."""
        ...

    async def result(self, name: str) -> CitationAuditResult:
        """Wait for the running or latest audit to end."""
        ...

    async def schedule(self, given: CitationAuditInput, timetable: Timetable) -> ScheduledAudit:
        """Audit a document on a timetable, in place of the one it has."""
        ...

    async def unschedule(self, subject: str) -> None:
        """``Refused`` (``not-scheduled``) if there is no timetable."""
        ...
