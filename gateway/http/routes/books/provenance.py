"""Authors of a book's blocks, and reasons for its commits."""

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel

from gateway.desk.trace import json_answers as trace_data
from gateway.desk.trace import prompts, traces
from gateway.desk.trace.blames import BlameDesk
from gateway.desk.trace.traces import origins
from gateway.desk.works import permitted
from gateway.desk.works.works import commit_id
from gateway.http.asking import Asking, FromServices
from gateway.http.strict import StrictRoute
from penwright.domain.trace.reports.blame import at_line
from penwright.domain.trace.reports.disclosure import disclose as disclosed
from penwright.domain.trace.reports.why import why as explained

router = APIRouter(prefix="/books/{book_id}", tags=["provenance"], route_class=StrictRoute)

Data = dict[str, Any]  # Any: JSON, as the command prints it
PathQuery = Annotated[str, Query(max_length=1000, description="A file, named from the top of the book.")]


class ModelPrompt(BaseModel):
    """The prompt that the writer of a commit's passages had last."""

    commit: str
    digest: str
    """SHA-256; the evidence bundle of the run names the prompt by it."""


class ModelPrompts(BaseModel):
    """By commit."""

    items: list[ModelPrompt]


@router.get("/blame")
def blame(
    request: Request,
    book_id: str,
    path: PathQuery,
    principal: Asking,
    services: FromServices,
    line: Annotated[int | None, Query(ge=1)] = None,
) -> Data:
    """Name the author of each block of a file, or of the block at a line."""
    book = permitted.book(services, principal, "read", book_id)
    blames: BlameDesk = request.app.state.blames
    found = blames.blame(book.workspace.path, path)
    return trace_data.blame_data(at_line(found, line) if line else found)


@router.get("/prompts")
def list_prompts(book_id: str, principal: Asking, services: FromServices) -> ModelPrompts:
    """The prompts of the passages that models wrote, as far as the store knows their runs."""
    book = permitted.book(services, principal, "read", book_id)
    found = prompts.prompt_digests(services, origins(services, book).blames)
    return ModelPrompts(items=[ModelPrompt(commit=sha, digest=digest) for sha, digest in found.items()])


@router.get("/why")
def why(
    book_id: str,
    commit: Annotated[str, Query(min_length=1, max_length=200)],
    principal: Asking,
    services: FromServices,
) -> Data:
    """Explain why a commit was made: its intent, permission and blocks."""
    book = permitted.book(services, principal, "read", book_id)
    with traces.opened(services, book.workspace.path) as (source, workspace):
        return trace_data.why_data(explained(source, commit_id(services, workspace, commit)))


@router.get("/disclosure")
def disclosure(book_id: str, principal: Asking, services: FromServices, path: PathQuery = "") -> Data:
    """The words by people, by models and by both, chapter by chapter; default: of the book."""
    book = permitted.book(services, principal, "read", book_id)
    with traces.opened(services, book.workspace.path) as (source, _):
        paths = (traces.known_text(source, path),) if path else traces.main_texts(source)
        return trace_data.disclosure_data(
            disclosed(source, *paths, waiting=0 if path else traces.waiting_words(source))
        )
