"""The work that a caller of the API means: by its registered id only, never by a folder.

All raise ``Refused`` (``not-permitted``) unless ``principal`` may do ``scope`` with it; else as those of
``registered``.
"""

from gateway.desk.principals import Principal, Scope, require
from gateway.desk.services import Services
from gateway.desk.works import registered
from gateway.desk.works.books import Book
from gateway.desk.works.documents import Document
from gateway.desk.works.novels import Novel
from penwright.domain.book.identity import checked_book_id


def book(
    services: Services, principal: Principal, scope: Scope, book_id: str, *, laid_out: bool = True
) -> Book:
    """The registered book ``book_id``."""
    require(principal, scope, f"book/{checked_book_id(book_id)}")
    return registered.book(services, book_id, laid_out=laid_out)


def novel(services: Services, principal: Principal, scope: Scope, novel_id: str) -> Novel:
    """The registered novel ``novel_id``."""
    require(principal, scope, f"novel/{novel_id}")
    return registered.novel(services, novel_id)


def document(
    services: Services, principal: Principal, scope: Scope, novel_id: str, scene: str, *, noted: bool = False
) -> Document:
    """One document of such a novel; ``-`` is the manuscript itself. ``noted``: as ``registered.novel``."""
    require(principal, scope, f"novel/{novel_id}")
    return registered.document(services, novel_id, scene, noted=noted)
