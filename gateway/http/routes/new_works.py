"""New books and novels, laid out empty or made of a text that exists."""

from typing import Annotated, Literal

from fastapi import APIRouter, Query, Response
from pydantic import Field

from gateway.desk import new_works
from gateway.desk.new_works import NewWork
from gateway.desk.source_texts import Reading
from gateway.http.answers import locate
from gateway.http.asking import Asking, FromServices
from gateway.http.keys import Operation
from gateway.http.orders import Order
from gateway.http.strict import StrictRoute
from gateway.http.uploads import UPLOAD, Content, FileName

router = APIRouter(tags=["works"], route_class=StrictRoute)

Authorship = Literal["human", "model", "mixed", "unknown"]
Title = Annotated[str, Query(max_length=200, description="Default: what the text or its file is called.")]
Author = Annotated[str, Query(max_length=200)]
WhoWrote = Annotated[Authorship, Query(description="Who wrote it, as its owner declares.")]
ChaptersAt = Annotated[
    str,
    Query(
        max_length=200,
        description="Where chapters begin: a level of headings, 1 to 6, or a pattern of their lines.",
    ),
]
TrackedChanges = Annotated[
    Literal["accept", "reject"],
    Query(description="What becomes of the tracked changes of a DOCX; its comments come as INK notes."),
]
Answer = Annotated[str, Field(max_length=20_000)]


class BookOrder(Order):
    """A new book."""

    title: str = Field(min_length=1, max_length=200)
    answers: dict[str, Answer] = Field(default={}, max_length=100)
    """To the questions of ``penwright book init``, such as ``author`` and ``voice``."""


class NovelOrder(Order):
    """A new novel or paper."""

    title: str = Field(min_length=1, max_length=200)
    author: str = Field(default="", max_length=200)
    language: str = Field(default="", max_length=35)


@router.post("/books", status_code=201)
def create_book(
    given: BookOrder, response: Response, operation: Operation, principal: Asking, services: FromServices
) -> NewWork:
    """Lay out a new book in the works folder."""
    made = new_works.create_book(services, principal, given.title, given.answers, operation)
    return _made(made, "books", response)


@router.post("/books/import", status_code=201, openapi_extra=UPLOAD)
def import_book(
    content: Content,
    file_name: FileName,
    response: Response,
    operation: Operation,
    principal: Asking,
    services: FromServices,
    title: Title = "",
    author: Author = "",
    authorship: WhoWrote = "unknown",
    changes: TrackedChanges = "accept",
    chapters_at: ChaptersAt = "",
) -> NewWork:
    """Make a book of a source text: text, Markdown, DOCX, EPUB or HTML; every line of it."""
    fields = {"title": title, "author": author}
    reading = Reading(changes=changes, chapters_at=chapters_at)
    made = new_works.import_book(
        services,
        principal,
        content,
        file_name,
        operation,
        fields=fields,
        authorship=authorship,
        reading=reading,
    )
    return _made(made, "books", response)


@router.post("/manuscripts", status_code=201)
def create_novel(
    given: NovelOrder, response: Response, operation: Operation, principal: Asking, services: FromServices
) -> NewWork:
    """Lay out a new novel or paper in the works folder."""
    fields = {"author": given.author, "language": given.language}
    made = new_works.create_novel(services, principal, given.title, fields, operation)
    return _made(made, "manuscripts", response)


@router.post("/manuscripts/import", status_code=201, openapi_extra=UPLOAD)
def import_novel(
    content: Content,
    file_name: FileName,
    response: Response,
    operation: Operation,
    principal: Asking,
    services: FromServices,
    title: Title = "",
    author: Author = "",
    authorship: WhoWrote = "human",
    changes: TrackedChanges = "accept",
) -> NewWork:
    """Make a novel of a text: Markdown, LaTeX, DOCX and others."""
    fields = {"title": title, "author": author}
    reading = Reading(changes=changes)
    made = new_works.import_novel(
        services,
        principal,
        content,
        file_name,
        operation,
        fields=fields,
        authorship=authorship,
        reading=reading,
    )
    return _made(made, "manuscripts", response)


def _made(made: NewWork, resource: str, response: Response) -> NewWork:
    locate(response, resource, made.id)
    return made
