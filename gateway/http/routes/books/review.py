"""The waiting prose of a book passage by passage, and the notes in its texts."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated, Literal

from fastapi import APIRouter, Response
from pydantic import BaseModel, Field

from gateway.desk.book import findings as desk_findings
from gateway.desk.book import reviewing, seal_review, texts
from gateway.desk.book.findings import CheckedProse
from gateway.desk.book.reviewing import WaitingReview
from gateway.desk.book.texts import NoteInText
from gateway.desk.works import permitted
from gateway.http.asking import Asking, FromServices
from gateway.http.keys import Operation
from gateway.http.orders import Order
from gateway.http.revisions import Base, tag
from gateway.http.strict import StrictRoute
from gateway.http.waiting import finished
from penwright.domain.book.files.changelog import edits_told
from penwright.domain.book.review.passages import Decision
from penwright.domain.prose.intended import decision
from penwright.domain.prose.rule_texts import described
from penwright.errors import Refused
from schemas.prose import Finding, Rule

router = APIRouter(prefix="/books/{book_id}", tags=["review"], route_class=StrictRoute)


class Fault(BaseModel):
    """A finding of the rules of prose; by rule and quotes it is decided on."""

    rule: Rule
    quote: str
    other: str
    hard: bool
    said: str
    """It in words."""


class WaitingPassage(BaseModel):
    """One paragraph of new prose, or a reworked passage with what it replaces."""

    id: str
    """Of its content: another text is another passage."""
    kind: Literal["new", "reworked"]
    text: str
    before: str
    answered: str
    """Of a reworked one: the note that it answers."""
    notes: list[str]
    """Notes in it that the next session answers."""
    found: list[Fault]
    """Findings of the rules of prose in it."""
    intended: list[Fault]
    """Those that the author means so."""


class ReviewQueue(BaseModel):
    """The passages that wait, in story order."""

    items: list[WaitingPassage]
    revision: str
    """As in the ETag; a decision names it."""
    plan: list[str]
    """Beats that the last session planned."""
    told: list[str]
    """Those that it told, each with its words."""
    edits: list[str]
    """In words: what its writer mended and its editor changed, or why nothing."""


class PassageDecision(Order):
    """Verdict of a person on one passage."""

    passage: str = Field(min_length=1, max_length=200)
    verdict: Literal["accept", "reject", "comment", "replace"]
    text: str = Field(default="", max_length=100_000)
    """The note, or the person's own words."""


class PassageDecisions(Order):
    """Decisions that are carried out in one commit, or none of them."""

    decisions: Annotated[list[PassageDecision], Field(min_length=1, max_length=1000)]


class ReviewDecided(BaseModel):
    """The queue as it is now."""

    commit: str
    """Empty if nothing had to be changed."""
    queue: ReviewQueue


class Findings(BaseModel):
    """Findings of the rules of prose in the waiting prose."""

    checked: bool
    """Whether the book has its prose checked."""
    items: list[Fault]
    intended: list[Fault]
    """Those that the author means so: they do not count."""
    of_the_session: list[str]
    """In words: what the last session was asked, and its prose is not."""
    edits: list[str]
    """In words: what its writer mended and its editor changed, or why nothing."""
    unread: list[str]
    """Files that were edited in the folder since the last commit, by which prose was checked."""
    trouble: str
    """Reason why the decisions of the author cannot be read; empty if they can."""


class FaultDecided(Order):
    """A finding, by its rule and quotes."""

    rule: Rule
    quote: str = Field(min_length=1, max_length=1000)
    other: str = Field(default="", max_length=1000)


class FindingDecisions(Order):
    """Findings that the author means so, and others that count again: one commit, or none."""

    intended: Annotated[list[FaultDecided], Field(max_length=100)] = []
    not_intended: Annotated[list[FaultDecided], Field(max_length=100)] = []


class FindingsDecided(BaseModel):
    """The findings as they are now."""

    commit: str
    """Empty if nothing had to be changed."""
    findings: Findings


class SealingReviewed(BaseModel):
    """Warnings that no longer wait for a person."""

    settled: list[str]
    """Warnings of the session that sealed the book."""


class BookNotes(BaseModel):
    """Notes by path and line."""

    items: list[NoteInText]


@router.get("/review")
def show_review(book_id: str, response: Response, principal: Asking, services: FromServices) -> ReviewQueue:
    """The passages that wait for a person."""
    book = permitted.book(services, principal, "read", book_id)
    return _queue(reviewing.review_of(services, book), response)


@router.post("/review/decide")
def decide_passages(
    book_id: str,
    given: PassageDecisions,
    response: Response,
    operation: Operation,
    base: Base,
    principal: Asking,
    services: FromServices,
) -> ReviewDecided:
    """Accept, reject, comment or replace passages of the queue in If-Match, as one commit of the caller."""
    book = permitted.book(services, principal, "write", book_id)
    seen = reviewing.review_of(services, book)
    if seen.revision != base:
        raise Refused("stale-revision", "the waiting prose was changed meanwhile", hint="read it again")
    decisions = [Decision(**each.model_dump()) for each in given.decisions]
    done = finished(reviewing.decide(services, book, seen, decisions, who=principal.name))
    return ReviewDecided(commit=done.commit, queue=_queue(done.after, response))


@router.get("/findings")
def list_findings(book_id: str, principal: Asking, services: FromServices) -> Findings:
    """List the findings of the rules of prose in the prose that waits."""
    book = permitted.book(services, principal, "read", book_id)
    return _findings(desk_findings.checked_prose(services, book))


@router.post("/findings/decide")
def decide_findings(
    book_id: str, given: FindingDecisions, operation: Operation, principal: Asking, services: FromServices
) -> FindingsDecided:
    """Say which findings are intended, and which no longer are, as one commit of the caller."""
    book = permitted.book(services, principal, "write", book_id)
    yes, no = (
        [decision(each.rule, each.quote, each.other) for each in wanted]
        for wanted in (given.intended, given.not_intended)
    )
    deciding = desk_findings.decide(services, book, intended=yes, not_intended=no, who=principal.name)
    commit = finished(deciding)
    return FindingsDecided(commit=commit, findings=_findings(desk_findings.checked_prose(services, book)))


@router.post("/sealing-reviewed")
def review_sealing(
    book_id: str, operation: Operation, principal: Asking, services: FromServices
) -> SealingReviewed:
    """Say that what the last session told when it sealed the book was seen; its words stay as they are."""
    book = permitted.book(services, principal, "write", book_id)
    return SealingReviewed(settled=list(seal_review.mark_seal_reviewed(services, book)))


@router.get("/notes")
def list_notes(book_id: str, principal: Asking, services: FromServices) -> BookNotes:
    """The notes that wait in the texts, each with its file and line."""
    book = permitted.book(services, principal, "read", book_id)
    found = texts.notes(services, book)
    return BookNotes(items=list(found))


def _queue(found: WaitingReview, response: Response) -> ReviewQueue:
    response.headers["etag"] = tag(found.revision)
    items = [
        WaitingPassage.model_validate(
            {
                **asdict(each),
                "notes": list(each.notes),
                "found": _faults(each.found),
                "intended": _faults(each.intended),
            }
        )
        for each in found.passages
    ]
    return ReviewQueue(
        items=items,
        revision=found.revision,
        plan=list(found.plan),
        told=list(found.told),
        edits=list(found.edits),
    )


def _findings(checked: CheckedProse) -> Findings:
    return Findings(
        checked=checked.checked,
        items=_faults(checked.found),
        intended=_faults(checked.intended),
        of_the_session=list(checked.of_the_session),
        edits=list(edits_told(checked.entry)),
        unread=list(checked.unread),
        trouble=checked.trouble,
    )


def _faults(found: Sequence[Finding]) -> list[Fault]:
    return [Fault(said=described(each), **each.model_dump(exclude={"start", "end"})) for each in found]
