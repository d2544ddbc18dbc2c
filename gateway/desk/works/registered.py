"""Books and documents by their registered ids alone: what came from a browser never names a folder."""

from dataclasses import replace
from pathlib import Path

from gateway.desk.services import Services
from gateway.desk.works import books, novels
from gateway.desk.works.books import Book
from gateway.desk.works.documents import Document
from gateway.desk.works.kinds import BOOK, NOVEL, Work, WorkKind
from gateway.desk.works.novels import Novel
from penwright.domain.book.identity import checked_book_id
from penwright.domain.manuscript.layout import scene_path
from penwright.errors import NotFound
from schemas.records import BookRow


def book(services: Services, book_id: str, *, laid_out: bool = False) -> Book:
    """The book with this id; further as ``books.at``.

    Raises:
        UsageMistake: ``bad-book-id``.
        NotFound: ``unknown-book``, or it lies on another host, or in no folder any more.
    """
    row = _row(services, BOOK, book_id)
    if row.queue != services.defaults().repo_queue:
        raise NotFound("book-elsewhere", f"{book_id!r} lies on the disk of another host ({row.queue})")
    found = books.at(services, Path(row.path), laid_out=laid_out)
    if found.book_id != row.book_id:
        raise NotFound("book-replaced", f"the folder of {book_id!r} holds {found.book_id!r} now")
    return found


def novel(services: Services, novel_id: str, *, noted: bool = False) -> Novel:
    """The novel with this id; raises as ``book``, with ``unknown-novel`` and ``novel-replaced``.

    ``noted``: its row and the note in its folder are enough, if they agree; see ``novels.noted``.
    """
    path = Path(_row(services, NOVEL, novel_id).path)
    found = novels.noted(services, path) if noted else None
    if found is None or found.novel_id != novel_id:
        found = novels.at(services, path)
    if found.novel_id != novel_id:
        raise NotFound("novel-replaced", f"the folder of {novel_id!r} holds {found.novel_id!r} now")
    return replace(found, is_registered=True)


def work(services: Services, work_id: str) -> Work:
    """The book or novel with this id; raises as ``book``."""
    with services.open_store() as store:
        row = store.records.book(checked_book_id(work_id))
    if row is None:
        raise _unknown("work", BOOK, work_id)
    return novel(services, work_id) if row.kind == "novel" else book(services, work_id)


def document(services: Services, novel_id: str, scene: str, *, noted: bool = False) -> Document:
    """One document of a novel, which is found as by ``novel``; ``-`` is the manuscript itself.

    Raises:
        UsageMistake: ``bad-scene-name``.
    """
    scene_path(scene)
    return Document(novel(services, novel_id, noted=noted), scene)


def _row(services: Services, kind: WorkKind, subject: str) -> BookRow:
    with services.open_store() as store:
        found = store.records.book(kind.checked_id(subject))
    if found is None or found.kind != kind.name:
        raise _unknown(kind.name, kind, subject)
    return found


def _unknown(what: str, kind: WorkKind, subject: str) -> NotFound:
    hint = f"see `penwright {kind.group} list`"
    return NotFound(f"unknown-{what}", f"no {what} is registered as {subject!r}", hint=hint)
