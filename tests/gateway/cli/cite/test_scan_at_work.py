"""``penwright cite search`` and ``accept`` while a scan is at work: what a refusal advises works."""

from pathlib import Path

import pytest

from penwright.domain.citations import scan
from penwright.errors import Refused
from schemas.base import Progress
from schemas.citation_scan import CitationScanResult, CitationScanState, ProposalList, ScanReview
from schemas.citations import (
    CitationChange,
    CitationCounts,
    CitationDecision,
    CitationProposal,
    CitationTarget,
    TargetStanding,
)
from schemas.control import Control
from tests.support.gateway.advised_states import ends_of_steps
from tests.support.gateway.http import a_novel
from tests.support.gateway.services import RehearsedRuns, Run, StageServices


class EndingScan(RehearsedRuns):
    """A scan that has looked at a sentence with a citation, and ends as a decision arrives."""

    shown: ScanReview

    async def start(self, given: object) -> bool:
        return False

    async def review(self, name: str) -> ScanReview:
        return self.shown

    async def decide(self, name: str, decision: CitationDecision) -> CitationCounts:
        refusal = scan.undecidable(CitationScanState(control=Control(ended=True)), decision)
        assert refusal is not None
        raise Refused(*refusal)

    async def result(self, name: str) -> CitationScanResult:  # type: ignore[override]
        novel, _, scene = name.partition("/")
        return CitationScanResult(outcome="waiting", novel=novel, scene=scene, session="s1")


@pytest.fixture
def novel(services: StageServices, tmp_path: Path) -> str:
    """A novel at which such a scan works."""
    novel_id = a_novel(services, tmp_path / "ebb")
    target = CitationTarget(number=1, kind="verify", sentence=1, text="It is so [@lee2020tides].")
    proposal = CitationProposal(target=target, state="verified", change=CitationChange(after=target.text))
    kept = services.store.blobs.put(ProposalList(proposals=(proposal,)).model_dump_json().encode())
    services.scans = EndingScan()
    services.scans.shown = ScanReview(
        counts=CitationCounts(found=1, verified=1),
        standings=(TargetStanding(number=1, state="verified"),),
        proposals=kept,
    )
    name = f"{novel_id}/-"
    services.scans.at_work[name] = Progress(pipeline="citation-scan", subject=name, stage="citing")
    return novel_id


def test_a_sentence_that_is_cited_is_scanned_again_as_advised(run: Run, novel: str) -> None:
    code, _, said = run("cite", "search", "tides", "--number", "1", "--in", novel)

    assert (code, "error[cited-already]" in said) == (3, True)
    assert ends_of_steps(run, said) == [0]


def test_what_a_scan_left_that_ended_before_a_decision_is_reviewed_as_advised(run: Run, novel: str) -> None:
    code, _, said = run("cite", "accept", novel, "--number", "1")

    assert (code, "error[scan-over]" in said) == (3, True)
    assert ends_of_steps(run, said) == [0]


def test_what_abstracts_may_carry_is_said_beside_verified(run: Run, novel: str) -> None:
    code, _, said = run("cite", "accept", novel, "--number", "1", "--abstracts")

    assert (code, "error[nothing-named]" in said) == (2, True)
    assert "--verified" in said
