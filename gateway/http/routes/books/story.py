"""Readings of a book, its contradictions, and its author's decisions on them."""

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from gateway.desk.book import continuity as desk
from gateway.desk.book import reading
from gateway.desk.book import story as told
from gateway.desk.book.continuity import Verdicts
from gateway.desk.book.reading import ReadingEstimate
from gateway.desk.book.story import EntityFacts
from gateway.desk.works import permitted
from gateway.http.asking import Asking, FromServices
from gateway.http.keys import Operation
from gateway.http.orders import Order
from gateway.http.strict import StrictRoute
from gateway.http.waiting import finished
from penwright.domain.continuity.known import ChapterStory, KnownFact, Place
from penwright.domain.continuity.reading import run_name
from penwright.errors import Refused
from schemas.continuity import ContinuityFinding, Correction, Step

router = APIRouter(prefix="/books/{book_id}", tags=["story"], route_class=StrictRoute)

At = Annotated[str, Query(max_length=200, description="A commit or tag; default: the newest.")]
Numbers = Annotated[list[Annotated[int, Field(ge=1)]], Field(max_length=100)]


class ReadSoFar(BaseModel):
    """Progress of reading a book."""

    commit: str
    unread_words: int
    stated: int
    """Statements that were read."""
    lost: int
    """Statements that were left out, since their quote does not stand in the text."""
    warnings: list[str]


class StoryTold(ReadSoFar):
    """Events of each chapter, as far as it was read."""

    chapters: list[ChapterStory]


class FactsTold(ReadSoFar):
    """People, places and things, with what the book states of them."""

    entities: list[EntityFacts]
    rejected: list[KnownFact]
    """Facts that the author has rejected."""
    throughout: list[Correction]
    """The author's word, of all the book."""


class ThreadTold(BaseModel):
    """A question that the story opens."""

    name: str
    steps: list[tuple[Step, Place]]
    open: bool


class ThreadsTold(ReadSoFar):
    """Questions that the story opens."""

    threads: list[ThreadTold]


class BriefTold(ReadSoFar):
    """Brief on the book for the next session's writer."""

    text: str
    shown: dict[str, int]
    """Lines of each part."""
    cut: dict[str, int]
    """Lines that found no room."""
    told: bool
    """False: the book's settings say that the writer is told nothing."""


class Contradictions(BaseModel):
    """Contradictions of the book; the numbers go on from list to list, and begin with 1."""

    commit: str
    """A decision names it."""
    contradictions: list[ContinuityFinding]
    intended: list[ContinuityFinding]
    """Those that the author means so."""
    later: list[ContinuityFinding]
    """Those that are silent until the next session."""
    notes: dict[str, str]
    """Notes that ask for a change, by number."""
    decided: dict[str, int]
    """The author's decisions by kind."""
    unread_words: int
    warnings: list[str]


class ContinuityVerdicts(Order):
    """Decisions on contradictions and facts by their numbers, all in one commit or none of them."""

    commit: str = Field(min_length=1, max_length=100)
    """The one that the numbers were read from."""
    fix: Numbers = []
    """Leave a note at the passage."""
    note: str = Field(default="", max_length=1_000)
    """With ``fix``: what to do there."""
    earlier: bool = False
    """With ``fix``: the note stands at the earlier passage."""
    not_fix: Numbers = []
    intended: Numbers = []
    not_intended: Numbers = []
    later: Numbers = []
    not_later: Numbers = []
    correct: dict[int, Annotated[str, Field(min_length=1, max_length=500)]] = {}
    """The right value of facts."""
    not_correct: Numbers = []
    reject: Numbers = []
    not_reject: Numbers = []


class ContinuityDecided(BaseModel):
    """The contradictions as they are now."""

    kept: str
    """The commit of the decisions; empty if nothing had to be changed."""
    noted: list[str]
    """Files in which notes stand now."""
    continuity: Contradictions


class ReadingOrder(Order):
    """A reading of what is unread."""

    again: bool = False
    """Also what an older version of the clerk has read, or could not read."""


class ReadingStarted(BaseModel):
    """A reading that was started or joined."""

    run: str
    """Empty if one ran already."""
    fresh: bool


@router.get("/reading")
def estimate_reading(book_id: str, principal: Asking, services: FromServices) -> ReadingEstimate:
    """Estimate what reading the unread passages takes; nothing is read."""
    book = permitted.book(services, principal, "read", book_id)
    return reading.estimate(services, told.story_of(services, book))


@router.post("/reading")
def start_reading(
    book_id: str, given: ReadingOrder, operation: Operation, principal: Asking, services: FromServices
) -> ReadingStarted:
    """Have the clerk read what is unread, or join the run that does."""
    book = permitted.book(services, principal, "run", book_id)
    begun = finished(reading.read(services, book, again=given.again, wait=None))
    return ReadingStarted(run=run_name(book.book_id, begun.session) if begun.fresh else "", fresh=begun.fresh)


@router.get("/story")
def show_story(book_id: str, principal: Asking, services: FromServices, at: At = "") -> StoryTold:
    """Tell what happens in each chapter, as far as it was read."""
    book = permitted.book(services, principal, "read", book_id)
    return StoryTold.model_validate(told.story_value(told.story_of(services, book, at or None)))


@router.get("/facts")
def list_facts(
    book_id: str,
    principal: Asking,
    services: FromServices,
    about: Annotated[str, Query(max_length=200, description="Any name of one of them.")] = "",
    chapter: Annotated[int | None, Query(ge=1)] = None,
    at: At = "",
) -> FactsTold:
    """List what the book states of its people, places and things, each with its quote."""
    book = permitted.book(services, principal, "read", book_id)
    story = told.story_of(services, book, at or None)
    return FactsTold.model_validate(told.facts_value(story, told.facts_of(story, about, chapter)))


@router.get("/threads")
def list_threads(
    book_id: str,
    principal: Asking,
    services: FromServices,
    paid: Annotated[bool, Query(description="Also those that are answered.")] = False,
    at: At = "",
) -> ThreadsTold:
    """List the questions that the story has opened and not answered."""
    book = permitted.book(services, principal, "read", book_id)
    story = told.story_of(services, book, at or None)
    return ThreadsTold.model_validate(told.threads_value(story, told.threads_of(story, paid=paid)))


@router.get("/brief")
def show_brief(book_id: str, principal: Asking, services: FromServices, at: At = "") -> BriefTold:
    """Tell what the next session's writer is told of the book."""
    book = permitted.book(services, principal, "read", book_id)
    return BriefTold.model_validate(told.brief_value(told.story_of(services, book, at or None)))


@router.get("/continuity")
def list_contradictions(
    book_id: str, principal: Asking, services: FromServices, at: At = ""
) -> Contradictions:
    """List where the book contradicts itself, with both quotes."""
    book = permitted.book(services, principal, "read", book_id)
    return _contradictions(desk.checked_story(services, book, at or None))


@router.post("/continuity/decide")
def decide_contradictions(
    book_id: str,
    given: ContinuityVerdicts,
    operation: Operation,
    principal: Asking,
    services: FromServices,
) -> ContinuityDecided:
    """Decide on contradictions and facts, as one commit of the caller; 409 if the book has moved on."""
    book = permitted.book(services, principal, "write", book_id)
    checked = desk.checked_story(services, book)
    if checked.story.view.tip != given.commit:
        raise Refused("stale-revision", "the book was changed meanwhile", hint="read the list again")
    verdicts = Verdicts.model_validate(given.model_dump(exclude={"commit"}))
    kept = finished(desk.decide(services, book, checked, verdicts, who=principal.name))
    now = _contradictions(desk.checked_story(services, book))
    return ContinuityDecided(kept=kept.commit, noted=list(kept.noted), continuity=now)


def _contradictions(checked: desk.CheckedStory) -> Contradictions:
    return Contradictions.model_validate(desk.continuity_value(checked))
