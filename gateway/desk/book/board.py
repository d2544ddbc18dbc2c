"""The board: every registered book, from the store and the engine; no repository is walked for it."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from gateway.desk.book import books
from gateway.desk.book.books import Book
from gateway.desk.overview import read_view
from gateway.desk.services import CommandStore, Services
from penwright.domain.book.board import board_line, shown_time
from penwright.domain.book.files.layout import CONFIG
from penwright.domain.book.status import book_figures
from penwright.errors import EngineUnavailable, PenwrightError
from schemas.base import BookId, Progress
from schemas.board import BoardCase, BoardLine, Timetabled
from schemas.records import BoardEntry, BoardRow


@dataclass(frozen=True, slots=True)
class Board:
    """Every registered book."""

    lines: tuple[BoardLine, ...]
    trouble: str = ""
    """Why it is not known what runs now, and which schedules there are; empty if it is."""

    @property
    def waiting(self) -> tuple[BoardLine, ...]:
        """The books that need a person."""
        return tuple(line for line in self.lines if line.attention)


@dataclass(frozen=True, slots=True)
class _Engine:
    """What the engine knows of all books."""

    running: Mapping[str, Progress] = field(default_factory=dict)
    schedules: Mapping[str, Timetabled] = field(default_factory=dict)
    trouble: str = ""


async def board(
    services: Services, shown: Callable[[datetime], str] = shown_time, *, only: BookId | None = None
) -> Board:
    """Every registered book, or ``only`` one; ``shown``: how a time is written in reasons.

    Raises:
        EngineUnavailable, StoreUnavailable: there is no store.
    """
    with services.open_store() as store:
        rows = [_read_once(services, store, row) for row in store.records.board(only)]
    engine = await _asked(services)
    held = _held_by_another(services, [row for row, _ in rows])
    lines = tuple(board_line(_case(services, *row, engine, held), shown) for row in rows)
    return Board(lines, engine.trouble)


async def _asked(services: Services) -> _Engine:
    try:
        async with services.engine() as engine:
            return _Engine(await engine.pipelines.running(), await engine.schedules.upcoming())
    except EngineUnavailable as error:
        return _Engine(trouble=error.message)


def _read_once(services: Services, store: CommandStore, row: BoardRow) -> tuple[BoardRow, str]:
    """The row, and why it could not be read; a book that no session was noted for is read, and noted."""
    if row.entry("text") is not None or not _is_here(services, row) or not _has_repository(row):
        return row, ""
    book = row.book
    try:
        entry = text_entry(services, books.at(services, Path(book.path), laid_out=False))
    except PenwrightError as error:
        return row, error.message
    store.records.enter([entry])
    return row.model_copy(update={"entries": (*row.entries, entry)}), ""


def text_entry(services: Services, book: Book) -> BoardEntry:
    """What a book holds now, read from its tip."""
    figures = book_figures(read_view(services, book))
    state = "sealed" if figures.sealed else "open"
    detail = figures.model_dump(mode="json")
    return BoardEntry(book_id=book.book_id, about="text", state=state, at=services.now(), detail=detail)


def _held_by_another(services: Services, rows: Sequence[BoardRow]) -> dict[BookId, BookId]:
    """Of books that are registered at one folder: those that it holds no longer, and which it holds."""
    here = [row.book for row in rows if _is_here(services, row)]
    paths = Counter(book.path for book in here)
    ids = {book.book_id for book in here}
    marks = {path: books.marked_id(services, path) for path, count in paths.items() if count > 1}
    held = {book.book_id: marks.get(book.path) for book in here}
    return {each: now for each, now in held.items() if now is not None and now != each and now in ids}


def _case(
    services: Services, row: BoardRow, unreadable: str, engine: _Engine, held: Mapping[BookId, BookId]
) -> BoardCase:
    here, top = _is_here(services, row), Path(row.book.path)
    other = held.get(row.book.book_id, "")
    there = _has_repository(row) and not other if here else True
    return BoardCase(
        row=row,
        running=engine.running.get(row.book.book_id),
        schedule=engine.schedules.get(row.book.book_id),
        folder="elsewhere" if not here else "there" if there else "gone",
        replaced_by=other,
        config_deleted=here and there and not _exists(top / CONFIG),
        unreadable=unreadable if there else "",
    )


def _is_here(services: Services, row: BoardRow) -> bool:
    """Whether the book lies on a disk that this host's workers use."""
    return row.book.queue == services.defaults().repo_queue


def _has_repository(row: BoardRow) -> bool:
    """Whether its folder is there still; one that is gone is not worth a process of Git."""
    return _exists(Path(row.book.path) / ".git")


def _exists(path: Path) -> bool:
    """Whether it can be found: one in a folder that may not be read, or with too long a name, cannot."""
    try:
        return path.exists()
    except OSError:
        return False
