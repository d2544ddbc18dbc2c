"""A book as a document."""

import tempfile
from pathlib import Path
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Response

from gateway.desk.book import exports, permitted
from gateway.http.asking import Asking, FromServices
from gateway.http.strict import StrictRoute
from gateway.http.uploads import download

router = APIRouter(prefix="/books/{book_id}", tags=["books"], route_class=StrictRoute)

Format = Literal["markdown", "text", "html", "epub", "docx", "pdf"]


@router.get(
    "/export",
    response_class=Response,
    responses={200: {"content": {"application/octet-stream": {}}, "description": "the document"}},
)
def export_book(
    book_id: str,
    principal: Asking,
    services: FromServices,
    format: Annotated[Format, Query()],
    review: Annotated[bool, Query(description="With the prose that waits in Review/current.md.")] = True,
    contents: Annotated[bool | None, Query(description="Default: as Config.yml says.")] = None,
) -> Response:
    """The book at its last commit, to be saved as a file."""
    book = permitted.book(services, principal, "read", book_id)
    name = exports.default_place(book, format).name
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder, name)
        exports.export(services, book, exports.Wish(format, place, with_waiting=review, contents=contents))
        content = place.read_bytes()
    # Always a download: a document of the book must not run as a page of ours.
    return download(content, name)
