"""The outlines that the planner proposes for a book's chapters, and a person's answers."""

from typing import Annotated

from fastapi import APIRouter, Path
from pydantic import BaseModel, Field

from gateway.desk.book import outlines, planning
from gateway.desk.book.outlines import Planning
from gateway.desk.works import permitted
from gateway.http.asking import Asking, FromServices
from gateway.http.keys import Operation
from gateway.http.orders import Order
from gateway.http.strict import StrictRoute
from gateway.http.waiting import finished

router = APIRouter(prefix="/books/{book_id}/outlines", tags=["books"], route_class=StrictRoute)


class OutlineAnswer(Order):
    """An answer to a proposed outline."""

    accept: bool
    """True: it becomes the chapter's; false: it goes."""


class OutlineAnswered(BaseModel):
    """The plans as they are now."""

    commit: str
    planning: Planning


class OutlineWish(Order):
    """A wish for outlines that are missing."""

    chapters: Annotated[int, Field(ge=0, le=planning.MOST_CHAPTERS)] = 1
    """The next ones that are to have outlines."""
    premise: str | None = None
    """A text from which the book's own outline is made, if it has none."""


class PlanningStarted(BaseModel):
    """The run that makes the outlines."""

    run: str
    """Its name among the runs; empty: nothing was missing."""
    fresh: bool
    """False: another one runs, and this wish was not added to it."""


@router.post("", status_code=202)
def plan_outlines(
    book_id: str, given: OutlineWish, operation: Operation, principal: Asking, services: FromServices
) -> PlanningStarted:
    """Have the planner make outlines that are missing: of the book, and of its next chapters."""
    book = permitted.book(services, principal, "run", book_id)
    begun = finished(planning.plan(services, book, given.chapters, premise=given.premise, wait=None))
    return PlanningStarted(run=begun.run, fresh=begun.fresh)


@router.get("")
def list_outlines(book_id: str, principal: Asking, services: FromServices) -> Planning:
    """Tell the planner of the book's chapters, those without an outline, and the proposals."""
    book = permitted.book(services, principal, "read", book_id)
    return outlines.planning_of(services, book)


@router.post("/{chapter}")
def answer_outline(
    book_id: str,
    chapter: Annotated[int, Path(ge=0, le=100_000)],
    given: OutlineAnswer,
    operation: Operation,
    principal: Asking,
    services: FromServices,
) -> OutlineAnswered:
    """Accept or reject the outline that is proposed for a chapter, or for the book (0), as one commit."""
    book = permitted.book(services, principal, "write", book_id)
    answering = outlines.answer(services, book, chapter, accept=given.accept, who=principal.name)
    commit = finished(answering).commit
    return OutlineAnswered(commit=commit, planning=outlines.planning_of(services, book))
