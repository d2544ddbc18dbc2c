"""Warnings that a session left to a person when it sealed the book: no later session removes them."""

from gateway.desk.book.overview import read_view
from gateway.desk.services import Services
from gateway.desk.works.books import Book
from penwright.domain.book.session_warnings import needs_person
from penwright.errors import Refused


def mark_seal_reviewed(services: Services, book: Book) -> tuple[str, ...]:
    """Take the warnings of the session that sealed the book off the board; return those that were on it.

    Raises:
        Refused: ``not-sealed``.
        EngineUnavailable, StoreUnavailable: there is no store.
    """
    if not read_view(services, book).sealed:
        raise Refused(
            "not-sealed",
            f"the book {book.book_id!r} is not sealed: its next session tells anew",
            hint="there is nothing to do: only what a session that sealed a book left is to be reviewed",
        )
    return taken_off(services, book)


def taken_off(services: Services, book: Book) -> tuple[str, ...]:
    """Take the warnings of the book's last session off the board; return those that were on it."""
    with services.open_store() as store:
        row = next(iter(store.records.board(book.book_id)), None)
        entry = row.entry("ending") if row else None
        told: list[str] = entry.detail.get("warnings", []) if entry else []
        seen = tuple(filter(needs_person, told))
        if entry is not None and seen:
            # A session that ended meanwhile has a later entry, which stays.
            left = [each for each in told if each not in seen]
            store.records.enter([entry.model_copy(update={"detail": {**entry.detail, "warnings": left}})])
    return seen
