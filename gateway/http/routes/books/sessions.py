"""Sessions of books: written, listed, paused, resumed, killed."""

from typing import Annotated, Literal

from fastapi import APIRouter, Query, Response
from pydantic import BaseModel, Field

from gateway.desk.book import overview, rewriting, sessions
from gateway.desk.engine.pipelines import Message
from gateway.desk.works import permitted
from gateway.http import run_ids
from gateway.http.answers import StartedRun, locate
from gateway.http.asking import Asking, FromServices
from gateway.http.keys import Operation
from gateway.http.orders import Order
from gateway.http.strict import StrictRoute
from gateway.http.waiting import finished
from penwright.domain.book.identity import workflow_id
from schemas.book_session import BookSessionInput, RewriteOrder
from schemas.control import KillRequest

router = APIRouter(prefix="/books/{book_id}", tags=["books"], route_class=StrictRoute)


class Session(BaseModel):
    """A session or another change of a book."""

    session: str
    at: str
    outcome: str
    words: int | None
    total: int | None
    """Words of the whole text after it, those that waited for review included."""
    commit: str | None
    tag: str | None
    model: str
    cost_micros: int | None
    code: str
    message: str
    stopped_by: str
    recovered: str


class Sessions(BaseModel):
    """Sessions, newest first."""

    items: list[Session]
    has_runs: bool
    """Whether the store was asked: costs, and sessions that wrote nothing, stand only there."""


class SessionOrder(Order):
    """A session to be written."""

    intent: str = Field(default="", max_length=200)
    """The intent under which it writes; empty: the book's own choice."""
    tag: str = Field(default="", max_length=100)
    """Tag of the override set with which its agents work; empty: as their profiles say."""


class PassageOrder(SessionOrder):
    """A passage of the book to be rewritten; the new one waits among the approvals."""

    chapter: int = Field(default=0, ge=0)
    """0: the passage before the first note of the author's in the book."""
    instruction: str = Field(default="", max_length=2000)
    passage: str = Field(default="", max_length=1000)
    """Words of the paragraph that is meant; empty: the whole chapter, or the lines."""
    first_line: int = Field(default=0, ge=0)
    """Of the paragraphs that are meant, in the file of the book; 0: it is not said by lines."""
    last_line: int = Field(default=0, ge=0)


class KillSessionOrder(Order):
    """A session to be ended."""

    reason: str = Field(default="", max_length=2000)


class SteeredSession(BaseModel):
    """Message to a session, which has confirmed it."""

    status: Literal["paused", "resumed", "killed"]


@router.get("/sessions")
def list_sessions(
    book_id: str,
    principal: Asking,
    services: FromServices,
    limit: Annotated[int, Query(ge=1, le=200)] = 20,
) -> Sessions:
    """The newest sessions, from the book's commits and from the store."""
    book = permitted.book(services, principal, "read", book_id, laid_out=False)
    log = overview.sessions(services, book, limit)
    items = [Session.model_validate(entry) for entry in log.entries]
    return Sessions(items=items, has_runs=log.has_runs)


@router.post("/sessions", status_code=202)
def start_session(
    book_id: str,
    given: SessionOrder,
    response: Response,
    operation: Operation,
    principal: Asking,
    services: FromServices,
) -> StartedRun:
    """Start a session of the built-in writer; 409 while another one holds the book."""
    book = permitted.book(services, principal, "run", book_id)
    return _started(services, response, sessions.session_of(services, book, given.intent, given.tag))


@router.post("/rewrites", status_code=202)
def start_rewrite(
    book_id: str,
    given: PassageOrder,
    response: Response,
    operation: Operation,
    principal: Asking,
    services: FromServices,
) -> StartedRun:
    """Have a passage that is in the book rewritten; 409 while a session holds the book."""
    book = permitted.book(services, principal, "run", book_id)
    lines = (given.first_line, max(given.first_line, given.last_line)) if given.first_line else None
    order = RewriteOrder(
        chapter=given.chapter, instruction=given.instruction, passage=given.passage, lines=lines
    )
    return _started(services, response, rewriting.rewrite_of(services, book, order, given.intent, given.tag))


def _started(services: FromServices, response: Response, order: BookSessionInput) -> StartedRun:
    finished(sessions.write(services, order, None))
    run_id = run_ids.encoded(f"{workflow_id(order.book_id)}#{order.session}")
    locate(response, "runs", run_id)
    return StartedRun(run_id=run_id, session=order.session)


@router.post("/pause")
def pause_session(
    book_id: str, operation: Operation, principal: Asking, services: FromServices
) -> SteeredSession:
    """Pause the running session after its step in hand."""
    _tell(services, principal, book_id, "pause")
    return SteeredSession(status="paused")


@router.post("/resume")
def resume_session(
    book_id: str, operation: Operation, principal: Asking, services: FromServices
) -> SteeredSession:
    """Let a paused session go on."""
    _tell(services, principal, book_id, "resume")
    return SteeredSession(status="resumed")


@router.post("/kill")
def kill_session(
    book_id: str, given: KillSessionOrder, operation: Operation, principal: Asking, services: FromServices
) -> SteeredSession:
    """End the running session at its next safe point; no text is lost."""
    request = KillRequest(who=principal.name, reason=given.reason or "killed by hand")
    _tell(services, principal, book_id, request)
    return SteeredSession(status="killed")


def _tell(services: FromServices, principal: Asking, book_id: str, message: Message) -> None:
    book = permitted.book(services, principal, "run", book_id, laid_out=False)
    finished(sessions.send(services, book, message))
