"""A book as a document."""

import tempfile
from pathlib import Path
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Response

from gateway.desk.book import exports
from gateway.desk.evidence.books import book_copy
from gateway.desk.evidence.copies import check_wish
from gateway.desk.works import permitted
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
    evidence: Annotated[bool, Query(description="Of HTML: a signed reader's copy.")] = False,
) -> Response:
    """The book at its last commit, to be saved as a file."""
    book = permitted.book(services, principal, "read", book_id)
    check_wish(evidence=evidence, format=format)
    name = exports.default_place(book, format).name
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder, name)
        wish = exports.ExportOptions(format, place, with_waiting=review, contents=contents)
        exports.export(services, book, wish, book_copy(services, book) if evidence else None)
        content = place.read_bytes()
    # Always a download: a document of the book must not run as a page of ours.
    return download(content, name)
