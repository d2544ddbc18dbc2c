"""Findings of the rules of prose in the prose of a book that waits for its author."""

from threading import Lock

from cachetools import LRUCache, cached

from gateway.desk.book.overview import read_view
from gateway.desk.services import Services
from gateway.desk.works.books import Book
from penwright.domain.book.craft import draft_of
from penwright.domain.book.files.layout import CHARACTERS, CRAFT, FULL_BOOK
from penwright.domain.prose.findings import findings
from penwright.domain.prose.indexing import index_of
from schemas.prose import BookIndex, Finding

_MOST_BOOKS = 4


def findings_of(services: Services, book: Book) -> tuple[Finding, ...] | None:
    """Findings in the waiting prose at the tip, beside the book there; None if its prose is not checked."""
    view = read_view(services, book)
    prose, language = view.waiting.text, view.config.language
    if view.config.craft == "off":
        return None
    if not prose.strip():
        return ()
    draft = draft_of(prose, language, characters=view.text(CHARACTERS), craft=view.text(CRAFT))
    return findings(draft, _index(services, book, view.blobs.get(FULL_BOOK, ""), language))


@cached(LRUCache(_MOST_BOOKS), key=lambda services, book, blob, language: (blob, language), lock=Lock())
def _index(services: Services, book: Book, blob: str, language: str) -> BookIndex:
    """The index of the book's text, which stays the same while its passages are decided one by one."""
    return index_of([services.workspaces().text(book.workspace, blob) or ""], language)
