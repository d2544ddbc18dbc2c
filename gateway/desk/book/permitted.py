"""The book that a caller of the API means: by its registered id only, never by a folder."""

from pathlib import Path

from gateway.desk.book import books
from gateway.desk.book.books import Book
from gateway.desk.principals import Principal, Scope, require
from gateway.desk.services import Services
from penwright.domain.book.identity import checked_book_id
from penwright.errors import NotFound


def book(
    services: Services, principal: Principal, scope: Scope, book_id: str, *, laid_out: bool = True
) -> Book:
    """The registered book ``book_id``, if ``principal`` may do ``scope`` with it; further as ``books.at``.

    Raises:
        Refused: ``not-permitted``.
        UsageMistake: ``bad-book-id``.
        NotFound: ``unknown-book``, or it lies on another host, or in no folder any more.
    """
    wanted = checked_book_id(book_id)
    require(principal, scope, f"book/{wanted}")
    with services.open_store() as store:
        row = store.records.book(wanted)
    if row is None:
        raise NotFound("unknown-book", f"no book is registered as {book_id!r}")
    if row.queue != services.defaults().repo_queue:
        raise NotFound("book-elsewhere", f"{book_id!r} lies on the disk of another host ({row.queue})")
    found = books.at(services, Path(row.path), laid_out=laid_out)
    if found.book_id != wanted:
        raise NotFound("book-replaced", f"the folder of {book_id!r} holds {found.book_id!r} now")
    return found
