"""History of a book: its commits, and the difference between two of them."""

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel

from gateway.desk.book import timeline
from gateway.desk.book.timeline import Comparison, Moment
from gateway.desk.works import permitted
from gateway.http.asking import Asking, FromServices
from gateway.http.strict import StrictRoute

router = APIRouter(prefix="/books/{book_id}", tags=["history"], route_class=StrictRoute)

Commit = Annotated[str, Query(min_length=40, max_length=40, description="A whole commit id of the book.")]


class BookHistory(BaseModel):
    """Commits, newest first."""

    items: list[Moment]


@router.get("/history")
def list_history(
    book_id: str,
    principal: Asking,
    services: FromServices,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
) -> BookHistory:
    """Sessions, saves and restores on one time line."""
    book = permitted.book(services, principal, "read", book_id)
    return BookHistory(items=list(timeline.moments(services, book, limit)))


@router.get("/compare")
def compare_commits(
    book_id: str, before: Commit, after: Commit, principal: Asking, services: FromServices
) -> Comparison:
    """Compare the texts of two commits."""
    book = permitted.book(services, principal, "read", book_id)
    return timeline.compare(services, book, before, after)
