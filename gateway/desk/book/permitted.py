"""The book that a caller of the API means: by its registered id only, never by a folder."""

from gateway.desk.principals import Principal, Scope, require
from gateway.desk.services import Services
from gateway.desk.works import registered
from gateway.desk.works.books import Book
from penwright.domain.book.identity import checked_book_id


def book(
    services: Services, principal: Principal, scope: Scope, book_id: str, *, laid_out: bool = True
) -> Book:
    """The registered book ``book_id``, if ``principal`` may do ``scope`` with it; as ``registered.book``.

    Raises:
        Refused: ``not-permitted``.
    """
    require(principal, scope, f"book/{checked_book_id(book_id)}")
    return registered.book(services, book_id, laid_out=laid_out)
