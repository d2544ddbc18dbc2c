"""The registry of books: where a book lies now, and books that are to be listed no longer."""

from dataclasses import dataclass
from pathlib import Path
from shlex import quote

from gateway.desk.engine.connection import Engine
from gateway.desk.services import Services
from gateway.desk.works import books
from gateway.desk.works.near import near_of
from penwright.errors import NotFound, Refused, UsageMistake
from schemas.base import BookId
from schemas.records import BookRow


@dataclass(frozen=True, slots=True)
class Moved:
    """A book that is registered elsewhere now."""

    book_id: BookId
    was: str
    path: str
    scheduled: bool
    """Whether its schedule was told."""


@dataclass(frozen=True, slots=True)
class Forgotten:
    """A book that is registered no longer."""

    book_id: BookId
    path: str
    scheduled: bool
    """Whether it had a schedule, which is deleted now."""


def registered(services: Services, named: str) -> BookRow:
    """The registered book with this id, or at this path; its folder need not be there.

    Raises:
        NotFound: ``unknown-book``.
    """
    with services.open_store() as store:
        rows, novels = store.records.books(), store.records.books("novel")
    path = str(Path(named).expanduser().resolve())
    found = next((row for row in rows if named == row.book_id or path == row.path), None)
    if found is None and any(named == row.book_id or path == row.path for row in novels):
        raise UsageMistake(
            "is-a-novel",
            f"{named!r} is a novel, and this command is for books",
            hint=f"`penwright manuscript move {quote(named)} FOLDER` says where it is now, "
            f"`penwright manuscript forget {quote(named)}` takes it off the list",
        )
    if found is None:
        raise NotFound(
            "unknown-book", f"no registered book is called {named!r}, or lies there{near_of(rows, named)}"
        )
    return found


async def move(services: Services, named: str, folder: Path) -> Moved:
    """Register a book, and its schedule, at the folder to which it was moved.

    Raises:
        Refused: ``another-book`` lies there, or ``already-running``.
    """
    row = registered(services, named)
    found = books.at(services, folder, laid_out=False)
    if found.book_id != row.book_id:
        raise Refused(
            "another-book",
            f"{found.workspace.path!r} holds the book {found.book_id!r}, not {row.book_id!r}",
            hint="`penwright book list` shows where each book is registered",
        )
    async with services.engine() as engine:
        await _refuse_running(engine, row.book_id)
        books.enter(services, found, moves=True)
        scheduled = await engine.schedules.move(row.book_id, found.workspace)
    return Moved(row.book_id, row.path, found.workspace.path, scheduled)


async def forget(services: Services, named: str) -> Forgotten:
    """Take a book, and its schedule, off the registry; its folder and its log stay.

    Raises:
        Refused: ``already-running``.
    """
    row = registered(services, named)
    async with services.engine() as engine:
        await _refuse_running(engine, row.book_id)
        scheduled = await _unscheduled(engine, row.book_id)
    with services.open_store() as store:
        store.records.forget(row.book_id)
    return Forgotten(row.book_id, row.path, scheduled)


async def _refuse_running(engine: Engine, book_id: BookId) -> None:
    if await engine.pipelines.progress(book_id) is not None:
        raise Refused(
            "already-running",
            f"a session or another change holds {book_id!r}; nothing was changed",
            hint=f"`penwright book watch {book_id}` shows it, `penwright book kill {book_id}` stops it",
        )


async def _unscheduled(engine: Engine, book_id: BookId) -> bool:
    try:
        await engine.schedules.remove(book_id)
    except Refused:  # it has none
        return False
    return True
