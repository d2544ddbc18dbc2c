"""Citations of a manuscript: scanned for, shown with their evidence, decided, taken back."""

from datetime import datetime
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Response
from pydantic import BaseModel, Field

from gateway.desk.citations import estimating, scans
from gateway.desk.citations.estimating import ScanEstimate
from gateway.desk.citations.scans import ReviewedTarget, ScanWish
from gateway.desk.citations.taking_back import take_back
from gateway.desk.engine.waits import quietly
from gateway.desk.works import permitted
from gateway.http.answers import StartedRun
from gateway.http.asking import Asking, FromServices
from gateway.http.keys import Operation
from gateway.http.numbers import Number
from gateway.http.orders import Order
from gateway.http.routes.manuscripts.runs import begun
from gateway.http.strict import StrictRoute
from gateway.http.waiting import finished
from penwright.errors import Refused, UsageMistake
from schemas.agent_state import Targets
from schemas.citations import (
    CitationChange,
    CitationCounts,
    CitationDecision,
    CitationTarget,
    FoundWork,
    ProposalState,
)
from schemas.manuscript import MOST_MINUTES

router = APIRouter(
    prefix="/manuscripts/{novel_id}/{document}/citations", tags=["citations"], route_class=StrictRoute
)


class ScanOrder(Order):
    """Limits and options of a scan."""

    max_targets: Targets | None = None
    """Sentences to look up at most; null: as the settings have it."""
    intent: str = Field(default="", max_length=200)
    minutes: int | None = Field(default=None, ge=1, le=MOST_MINUTES)
    cost_micros: int | None = Field(default=None, ge=0, le=2**62)
    """In millionths of a US dollar."""
    tag: str = Field(default="", max_length=100)
    """Tag of the override set with which its agents work; empty: as their profiles say."""


class CitationCard(BaseModel):
    """One sentence, what is proposed for it, and what became of that."""

    number: int
    state: ProposalState
    code: str
    message: str
    by: str
    """Person who decided."""
    at: datetime | None
    """When that was; null: not decided."""
    reason: str
    """Reason why that person rejected it."""
    applied: bool
    """Whether it is in the text."""
    target: CitationTarget
    change: CitationChange | None
    """With the verdict, what the works say of the sentence, a quote, and the sources that know them."""
    others: list[FoundWork]
    """Other works found, to be chosen instead; `choose` counts them from 1."""


class CitationCards(BaseModel):
    """Proposals of the running scan, or the last one."""

    items: list[CitationCard]
    counts: CitationCounts
    running: bool


class DecisionOrder(Order):
    """Which proposals are accepted or rejected: by number, or all of a kind."""

    verb: Literal["accept", "reject"]
    numbers: list[int] = Field(default=[], max_length=1000)
    every: Literal["", "verified", "all"] = ""
    """`verified`: what exists and whose text says the sentence."""
    abstracts: bool = False
    """With `verified`: an abstract that has the sentence's words is enough."""
    reason: str = Field(default="", max_length=2000)
    """Reason why they are rejected; kept with each."""


class SearchOrder(Order):
    """Search for one sentence."""

    words: str = Field(min_length=1, max_length=500)
    """A DOI, an arXiv id, or what to search for."""


class ChoiceOrder(Order):
    """Which of the other works that were found is proposed instead."""

    other: int = Field(ge=1, le=100)
    """Its place in `others` of the card, from 1."""


class CitationsDecided(BaseModel):
    """Present state of the proposals."""

    counts: CitationCounts


class CitationsUndone(BaseModel):
    """The text without the citations that were put in last."""

    revision: str
    words: int
    commit: str | None


@router.post("/scan", status_code=202)
def scan_citations(
    novel_id: str,
    document: str,
    given: ScanOrder,
    response: Response,
    operation: Operation,
    principal: Asking,
    services: FromServices,
) -> StartedRun:
    """Look for sentences that need a source, and for works that support them; 409 while a scan runs."""
    found = permitted.document(services, principal, "run", novel_id, document)
    wish = ScanWish(**given.model_dump(), who=principal.name)
    scanned = finished(scans.scan(services, found, wish, wait=None))
    if not scanned.fresh:
        raise Refused("scan-runs", f"a scan of {found.name!r} runs; nothing was started")
    return begun("citations", found, scanned.session, response)


@router.get("/estimate")
def estimate_scan(
    novel_id: str,
    document: str,
    principal: Asking,
    services: FromServices,
    max_targets: Annotated[Targets | None, Query(description="In place of the settings'.")] = None,
) -> ScanEstimate:
    """The calls, tokens, questions to registries and money of a scan at most; nothing is started."""
    found = permitted.document(services, principal, "read", novel_id, document)
    return estimating.estimate_now(services, found, max_targets)


@router.get("")
def list_citations(novel_id: str, document: str, principal: Asking, services: FromServices) -> CitationCards:
    """A card for each sentence: what is proposed, with its evidence and verdict."""
    found = permitted.document(services, principal, "read", novel_id, document, noted=True)
    review = finished(scans.review(services, found))
    return CitationCards(
        items=[_card(each) for each in review.targets], counts=review.counts, running=review.running
    )


@router.post("/decide")
def decide_citations(
    novel_id: str,
    document: str,
    given: DecisionOrder,
    operation: Operation,
    principal: Asking,
    services: FromServices,
) -> CitationsDecided:
    """Accept or reject proposals; what is accepted enters the text in one commit."""
    found = permitted.document(services, principal, "approve", novel_id, document, noted=True)
    if bool(given.numbers) == bool(given.every):
        raise UsageMistake("nothing-named", "name proposals by their numbers, or all of a kind, and not both")
    decision = CitationDecision(
        verb=given.verb,
        who=principal.name,
        numbers=tuple(given.numbers),
        every=given.every,
        abstracts=given.abstracts,
        reason=given.reason,
    )
    return CitationsDecided(counts=finished(scans.decide(services, found, decision, wait=quietly)).counts)


@router.post("/{number}/search")
def search_citation(
    novel_id: str,
    document: str,
    number: Number,
    given: SearchOrder,
    operation: Operation,
    principal: Asking,
    services: FromServices,
) -> CitationsDecided:
    """Look works up for a sentence by hand: the first that is found is proposed once it is verified."""
    found = permitted.document(services, principal, "approve", novel_id, document, noted=True)
    asked = scans.search(services, found, number, given.words, who=principal.name, wait=quietly)
    return CitationsDecided(counts=finished(asked).counts)


@router.post("/{number}/choose")
def choose_citation(
    novel_id: str,
    document: str,
    number: Number,
    given: ChoiceOrder,
    operation: Operation,
    principal: Asking,
    services: FromServices,
) -> CitationsDecided:
    """Propose another of the works that were found for a sentence, once it is verified."""
    found = permitted.document(services, principal, "approve", novel_id, document, noted=True)
    asked = scans.choose(services, found, number, given.other, who=principal.name, wait=quietly)
    return CitationsDecided(counts=finished(asked).counts)


@router.post("/apply")
def apply_citations(
    novel_id: str, document: str, operation: Operation, principal: Asking, services: FromServices
) -> CitationsDecided:
    """Put in what was accepted and is not in the text yet, as after a kill."""
    found = permitted.document(services, principal, "approve", novel_id, document, noted=True)
    done = finished(scans.decide(services, found, None, who=principal.name, wait=quietly))
    return CitationsDecided(counts=done.counts)


@router.post("/undo")
def undo_citations(
    novel_id: str,
    document: str,
    operation: Operation,
    principal: Asking,
    services: FromServices,
    number: Annotated[int | None, Query(ge=1, description="Only the citation of this sentence.")] = None,
) -> CitationsUndone:
    """Take back the citations that were put in last, or one of them, as a new commit."""
    found = permitted.document(services, principal, "write", novel_id, document)
    if number is not None:
        saved = finished(take_back(services, found, number, who=principal.name))
        return CitationsUndone(revision=saved.revision, words=saved.words, commit=saved.commit)
    answer = finished(scans.undo(services, found, who=principal.name))
    if answer.outcome in ("refused", "conflict"):
        raise Refused(answer.code, answer.message)
    return CitationsUndone(revision=answer.revision, words=answer.words, commit=answer.commit)


def _card(each: ReviewedTarget) -> CitationCard:
    standing = each.standing
    return CitationCard(
        **standing.model_dump(include={"number", "state", "code", "by", "at", "reason", "applied"}),
        message=standing.message or each.proposal.message,
        target=each.proposal.target,
        change=each.proposal.change,
        others=list(each.proposal.others),
    )
