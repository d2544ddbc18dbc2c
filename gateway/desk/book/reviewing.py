"""The review of a book's waiting prose, passage by passage; each decision is a commit of the person."""

from collections.abc import Sequence
from dataclasses import dataclass

from gateway.desk.book import editing
from gateway.desk.book.books import Book
from gateway.desk.book.editing import NewText
from gateway.desk.services import Services
from penwright.domain.book.files.layout import REVIEW
from penwright.domain.book.review.passages import (
    Decision,
    Passage,
    decided,
    notes_without_prose,
    passages,
)
from penwright.errors import Refused
from schemas.book_text import BookEdited


@dataclass(frozen=True, slots=True)
class WaitingReview:
    """The waiting prose of a book."""

    passages: tuple[Passage, ...]
    text: str
    """The whole file, with LF."""
    revision: str
    """Git blob id that the passages were read from."""
    notes: tuple[str, ...] = ()
    """Those of the author where no passage waits; otherwise they stand at the passages."""


@dataclass(frozen=True, slots=True)
class Decided:
    """Decisions that were carried out."""

    before: WaitingReview
    after: WaitingReview
    commit: str
    """Empty if nothing had to be changed."""


def review_of(services: Services, book: Book) -> WaitingReview:
    """The passages that wait, in story order."""
    shown = editing.shown_text(services, book, REVIEW)
    notes = notes_without_prose(shown.text)
    return WaitingReview(passages(shown.text), shown.text, shown.revision, notes)


async def decide(
    services: Services, book: Book, seen: WaitingReview, decisions: Sequence[Decision], *, who: str
) -> Decided:
    """Carry decisions on passages of ``seen`` out, all in one commit of the person ``who``.

    Raises:
        UsageMistake: as ``passages.decided``.
        Refused: ``book-busy``, ``review-changed``: the same words were changed meanwhile; or the gate's code.
    """
    return await _saved(services, book, seen, decided(seen.text, decisions), who)


async def take_back(services: Services, book: Book, done: Decided, *, who: str) -> Decided:
    """Undo decisions by a new commit; what others changed since stays. Raises as ``decide``."""
    return await _saved(services, book, done.after, done.before.text, who)


async def _saved(services: Services, book: Book, seen: WaitingReview, text: str, who: str) -> Decided:
    if text == seen.text:
        return Decided(seen, seen, "")
    saved = await editing.save_texts(services, book, {REVIEW: NewText(text, seen.revision)}, who=who)
    if saved.outcome in ("conflict", "refused"):
        raise _refused(saved)
    return Decided(seen, review_of(services, book), saved.commit or "")


def _refused(saved: BookEdited) -> Refused:
    if saved.outcome == "conflict":
        return Refused("review-changed", "the same words were changed meanwhile", hint="load the page again")
    return Refused(saved.code, saved.message)
