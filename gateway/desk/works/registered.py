"""Books and documents by their registered ids alone: what came from a browser never names a folder."""

from pathlib import Path

from gateway.desk.services import Services
from gateway.desk.works import books, novels
from gateway.desk.works.books import Book
from gateway.desk.works.documents import Document
from gateway.desk.works.novels import Novel
from gateway.desk.works.works import Work
from penwright.domain.book.identity import checked_book_id
from penwright.domain.manuscript.identity import checked_novel_id
from penwright.domain.manuscript.layout import scene_path
from penwright.errors import NotFound
from schemas.base import BookId
from schemas.records import BookRow, WorkspaceKind


def book(services: Services, book_id: str, *, laid_out: bool = False) -> Book:
    """The book with this id; further as ``books.at``.

    Raises:
        UsageMistake: ``bad-book-id``.
        NotFound: ``unknown-book``, or it lies on another host, or in no folder any more.
    """
    wanted = checked_book_id(book_id)
    row = _row(services, wanted, "book")
    if row.queue != services.defaults().repo_queue:
        raise NotFound("book-elsewhere", f"{book_id!r} lies on the disk of another host ({row.queue})")
    found = books.at(services, Path(row.path), laid_out=laid_out)
    if found.book_id != wanted:
        raise NotFound("book-replaced", f"the folder of {book_id!r} holds {found.book_id!r} now")
    return found


def novel(services: Services, novel_id: str) -> Novel:
    """The novel with this id; raises as ``book``, with ``unknown-novel``."""
    row = _row(services, checked_novel_id(novel_id), "novel")
    return novels.at(services, Path(row.path))


def work(services: Services, work_id: str) -> Work:
    """The book or novel with this id; raises as ``book``."""
    with services.open_store() as store:
        row = store.records.book(checked_book_id(work_id))
    if row is None:
        raise _unknown("work", work_id)
    return novel(services, work_id) if row.kind == "novel" else book(services, work_id)


def document(services: Services, novel_id: str, scene: str) -> Document:
    """One document of a novel; ``-`` is the manuscript itself.

    Raises:
        UsageMistake: ``bad-scene-name``.
    """
    scene_path(scene)
    return Document(novel(services, novel_id), scene)


def _row(services: Services, subject: BookId, kind: WorkspaceKind) -> BookRow:
    with services.open_store() as store:
        found = store.records.book(subject)
    if found is None or found.kind != kind:
        raise _unknown(kind, subject)
    return found


def _unknown(kind: str, subject: str) -> NotFound:
    listed = "manuscript" if kind == "novel" else "book"
    return NotFound(
        f"unknown-{kind}",
        f"no {kind} is registered as {subject!r}",
        hint=f"see `penwright {listed} list`",
    )
