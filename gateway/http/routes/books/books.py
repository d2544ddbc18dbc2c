"""Books: which there are, and how each stands."""

from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import BaseModel

from gateway.desk.book import board as desk_board
from gateway.desk.book import overview, texts
from gateway.desk.book.texts import TextFile
from gateway.desk.principals import ids_seen, require
from gateway.desk.works import permitted
from gateway.http.asking import Asking, FromServices
from gateway.http.cursors import OnePage
from gateway.http.strict import StrictRoute
from gateway.http.waiting import finished
from penwright.ports.portions import Portion
from schemas.base import Progress
from schemas.board import BoardLine
from schemas.book import BookStatus, Check

router = APIRouter(prefix="/books", tags=["books"], route_class=StrictRoute)


class ListedBook(BoardLine):
    """A book in the list; without its folder, which is no business of callers elsewhere."""

    path: str = ""


class ListedBooks(BaseModel):
    """Books by id."""

    items: list[ListedBook]
    next: str | None
    trouble: str = ""
    """Reason why it is not known what runs now, and which schedules there are; empty if it is."""


class ShownBook(BookStatus):
    """A book, and the session that runs."""

    title: str
    engine_running: bool
    progress: Progress | None
    trouble: str


class Tree(BaseModel):
    """The texts of a book, by path."""

    items: list[TextFile]


class Checks(BaseModel):
    """Everything worth checking about a book."""

    healthy: bool
    checks: list[Check]


@router.get("")
def list_books(
    principal: Asking,
    services: FromServices,
    page: OnePage,
    attention: Annotated[bool, Query(description="Only books that need a person.")] = False,
) -> ListedBooks:
    """The registered books, each with its state, words, cost and what waits for a person."""
    require(principal, "read")
    portion = Portion(page.limit + 1, among=ids_seen(principal, "book"), after=page.after)
    board = finished(desk_board.part(services, portion, attention=attention))
    items, following = page.cut(board.lines, lambda line: line.book_id)
    return ListedBooks(items=[_listed(line) for line in items], next=following, trouble=board.trouble)


@router.get("/{book_id}")
def show_book(book_id: str, principal: Asking, services: FromServices) -> ShownBook:
    """Show a book's state, and what its session does."""
    book = permitted.book(services, principal, "read", book_id)
    status = overview.book_status(services, book)
    now = finished(overview.session_now(services, book.book_id))
    return ShownBook.model_validate({**status.model_dump(), **asdict(now), "title": book.title})


@router.get("/{book_id}/tree")
def list_texts(book_id: str, principal: Asking, services: FromServices) -> Tree:
    """The texts of a book as they were committed last."""
    book = permitted.book(services, principal, "read", book_id)
    found = texts.listed(services, book)
    return Tree(items=list(found))


@router.get("/{book_id}/checks")
def check_book(book_id: str, principal: Asking, services: FromServices) -> Checks:
    """Check a book and say how to mend what is wrong."""
    book = permitted.book(services, principal, "read", book_id, laid_out=False)
    found = overview.book_checks(services, book.workspace.path)
    return Checks(healthy=all(check.ok for check in found), checks=list(found))


def _listed(line: BoardLine) -> ListedBook:
    shown: dict[str, Any] = line.model_dump(exclude={"path"})  # Any: the fields of a line
    return ListedBook.model_validate(shown)
