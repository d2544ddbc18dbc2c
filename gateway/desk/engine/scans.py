"""Port: citation scans."""

from typing import Protocol

from gateway.desk.engine.pipelines import StartedRuns
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
