"""History of a book: its commits, and the difference between two of them."""

from dataclasses import asdict
from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel

from gateway.desk.book import permitted, timeline
from gateway.http.asking import Asking, FromServices
from gateway.http.strict import StrictRoute

router = APIRouter(prefix="/books/{book_id}", tags=["history"], route_class=StrictRoute)

Commit = Annotated[str, Query(min_length=40, max_length=40, description="A whole commit id of the book.")]


class BookMoment(BaseModel):
    """One commit."""

    commit: str
    at: datetime
    author: str
    subject: str
    step: str
    """Step of a session, such as ``close``; empty for a save of a person's."""
    session: str
    tags: list[str]
    """Restore points."""


class BookHistory(BaseModel):
    """Commits, newest first."""

    items: list[BookMoment]


class BookComparison(BaseModel):
    """Difference between two commits, in the book's own files."""

    before: str
    after: str
    files: list[str]
    lines: str
    """As ``git diff`` shows it."""
    shortened: bool


@router.get("/history")
def list_history(
    book_id: str,
    principal: Asking,
    services: FromServices,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
) -> BookHistory:
    """Sessions, saves and restores on one time line."""
    book = permitted.book(services, principal, "read", book_id)
    moments = timeline.moments(services, book, limit)
    return BookHistory(items=[BookMoment.model_validate(asdict(each)) for each in moments])


@router.get("/compare")
def compare_commits(
    book_id: str, before: Commit, after: Commit, principal: Asking, services: FromServices
) -> BookComparison:
    """Compare the texts of two commits."""
    book = permitted.book(services, principal, "read", book_id)
    return BookComparison.model_validate(asdict(timeline.compare(services, book, before, after)))
