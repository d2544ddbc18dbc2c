"""The reader's copy of a book: its text, and who wrote each block of it."""

from collections.abc import Callable
from functools import partial

from gateway.desk.book.exports import Copier
from gateway.desk.evidence.copies import CopyText, signed_copy
from gateway.desk.services import Services
from gateway.desk.trace.traces import opened
from gateway.desk.works.books import Book
from penwright.domain.book.files.cover import Cover
from penwright.domain.book.files.layout import FULL_BOOK, REVIEW
from penwright.domain.evidence.marking import unmarked
from penwright.domain.text.languages import language_tag
from penwright.domain.trace.reports.blame import blame
from schemas.readers_copy import CopyTitle


def book_copy(services: Services, book: Book) -> Copier:
    """Return what makes a signed copy of a book. It raises ``PermanentError`` as ``key_of``."""
    return partial(_copy, services, book)


def _copy(
    services: Services, book: Book, cover: Cover, text: str, converted: Callable[[str], bytes]
) -> bytes:
    with opened(services, book.workspace.path) as (source, _):
        blames = [blame(source, path) for path in (FULL_BOOK, REVIEW) if path in source.files()]
        title = CopyTitle(
            id=book.book_id,
            kind=book.kind,
            title=cover.title,
            author=cover.author,
            language=language_tag(cover.language),
            commit=source.tip,
        )
    shown = CopyText(title, unmarked(text), unmarked(text))
    return signed_copy(services, shown, converted, blames)
