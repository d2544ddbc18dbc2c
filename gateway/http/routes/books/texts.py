"""Texts of books: read by revision, written by people."""

from dataclasses import replace
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request, Response
from pydantic import BaseModel, Field

from gateway.desk.book import editing, texts
from gateway.desk.book.editing import NewText
from gateway.desk.book.texts import ReadText
from gateway.desk.works import permitted
from gateway.http.asking import Asking, FromServices
from gateway.http.orders import Order
from gateway.http.revisions import Base, not_modified, tag, unchanged
from gateway.http.strict import StrictRoute
from gateway.http.waiting import finished
from penwright.domain.book.editing import emptied_warnings
from penwright.domain.text.words import count_words
from penwright.errors import Refused, UsageMistake
from schemas.book_text import BookEdited

LONGEST = 8_000_000
"""Characters of one text."""

router = APIRouter(prefix="/books/{book_id}", tags=["books"], route_class=StrictRoute)


class WrittenText(Order):
    """The whole new text."""

    text: str = Field(max_length=LONGEST)


class SavedText(BaseModel):
    """Result of saving a person's text."""

    outcome: Literal["saved", "merged", "unchanged"]
    """``merged``: the text had moved on, and both sides' changes are in it."""
    path: str
    revision: str
    words: int
    commit: str | None
    push: str
    warnings: tuple[str, ...] = ()
    """That the text holds no words any more, and what brings them back."""


@router.get("/text/{path:path}", responses={304: {"description": "the caller has this revision"}})
def read_text(
    book_id: str,
    path: str,
    request: Request,
    response: Response,
    principal: Asking,
    services: FromServices,
    at: Annotated[str, Query(max_length=200, description="A commit or tag; default: the newest.")] = "",
    from_line: Annotated[int, Query(ge=1)] = 1,
    to_line: Annotated[int | None, Query(ge=1)] = None,
) -> ReadText:
    """A text as it was committed last, or at a commit; its ETag is the revision of the whole text."""
    book = permitted.book(services, principal, "read", book_id)
    found = texts.read(services, book, path, at=at)
    if unchanged(request, found.revision):
        return not_modified(found.revision)  # type: ignore[return-value]
    response.headers["etag"] = tag(found.revision)
    lines = found.text.splitlines(keepends=True)[from_line - 1 : to_line]
    return replace(found, path=path, text="".join(lines))


@router.put("/text/{path:path}")
def write_text(
    book_id: str,
    path: str,
    given: WrittenText,
    response: Response,
    base: Base,
    principal: Asking,
    services: FromServices,
) -> SavedText:
    """Save a text as the caller's commit, merged with what changed since the revision in If-Match.

    412 where the same words were changed meanwhile; nothing is saved then.
    """
    book = permitted.book(services, principal, "write", book_id)
    editing.shown_text(services, book, path)  # refuses what cannot be written, before anything is stored
    new = NewText(given.text, base)
    saved = finished(editing.save_texts(services, book, {path: new}, who=principal.name))
    _refuse_unsaved(saved)
    if saved.outcome == "unchanged" or not saved.files:
        shown = editing.shown_text(services, book, path)
        revision, words = shown.revision, count_words(shown.text)
    else:
        revision, words = saved.files[0].revision, saved.files[0].words
    response.headers["etag"] = tag(revision)
    return SavedText.model_validate(
        {
            **saved.model_dump(include={"outcome", "commit", "push"}),
            "path": path,
            "revision": revision,
            "words": words,
            "warnings": (*emptied_warnings(saved, book.book_id), *saved.warnings),
        }
    )


def _refuse_unsaved(saved: BookEdited) -> None:
    if saved.outcome == "refused":
        raise UsageMistake(saved.code, saved.message)
    if saved.outcome == "conflict":
        places = "; ".join(f"yours {place.mine!r}, theirs {place.theirs!r}" for place in saved.places[:3])
        raise Refused(
            "stale-revision",
            f"{saved.message}; nothing was saved{': ' if places else ''}{places}",
            hint="read the text again, bring both together, and save with its ETag",
        )
