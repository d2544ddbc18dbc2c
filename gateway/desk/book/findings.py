"""What the rules of prose find in the prose of a book that waits for its author."""

from threading import Lock

from cachetools import LRUCache, cached

from gateway.desk.book.overview import read_view
from gateway.desk.services import Services
from gateway.desk.works.books import Book
from penwright.domain.book.craft import never_list
from penwright.domain.book.files.layout import CRAFT, FULL_BOOK, MATERIAL_FOLDER
from penwright.domain.prose.findings import findings
from penwright.domain.prose.indexing import index_of
from penwright.domain.prose.known_names import known_names
from schemas.prose import Draft, Finding

_KEPT = 64
_CHARACTERS = f"{MATERIAL_FOLDER}/Characters.md"


def findings_of(services: Services, book: Book) -> tuple[Finding, ...] | None:
    """Findings in the waiting prose at the tip, beside the book there; None if its prose is not checked."""
    view = read_view(services, book)
    if view.config.craft == "off":
        return None
    if not view.waiting.text.strip():
        return ()
    material = view.text(_CHARACTERS), view.text(CRAFT)
    whole = view.blobs.get(FULL_BOOK, "")
    return _found(services, book, view.waiting.text, whole, view.config.language, *material)


@cached(LRUCache(_KEPT), key=lambda services, book, *same: same, lock=Lock())
def _found(
    services: Services, book: Book, prose: str, whole: str, language: str, characters: str, craft: str
) -> tuple[Finding, ...]:
    """Args: ``whole``: git blob id of the book's text."""
    text = services.workspaces().text(book.workspace, whole) or ""
    draft = Draft(prose=prose, language=language, names=known_names(characters), never=never_list(craft))
    return findings(draft, index_of([text], language))
