"""The board: every registered book, from the store and the engine; no repository is walked for it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

from gateway.desk.book.overview import read_view
from gateway.desk.services import CommandStore, Services
from gateway.desk.works import books
from gateway.desk.works.books import Book
from penwright.domain.book.board import board_line, shown_time
from penwright.domain.book.files.layout import CONFIG
from penwright.domain.book.status import book_figures
from penwright.errors import EngineUnavailable, PenwrightError
from penwright.ports.portions import Portion
from schemas.base import BookId, Progress
from schemas.board import BoardCase, BoardLine, Timetabled
from schemas.records import BoardEntry, BoardRow


@dataclass(frozen=True, slots=True)
class Board:
    """Every registered book."""

    lines: tuple[BoardLine, ...]
    trouble: str = ""
    """Reason why it is not known what runs now, and which schedules there are; empty if it is."""

    @property
    def waiting(self) -> tuple[BoardLine, ...]:
        """The books that need a person."""
        return tuple(line for line in self.lines if line.attention)


@dataclass(frozen=True, slots=True)
class _Engine:
    """State of all books in the engine."""

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
    engine = await _asked(services)
    with services.open_store() as store:
        rows = store.records.board(only)
        return Board(tuple(_lines(services, store, rows, engine, shown)), engine.trouble)


async def part(services: Services, portion: Portion, *, attention: bool = False) -> Board:
    """The next books of a list by id; no other is read, unless it is passed over.

    Args:
        portion: how many ``after`` which id, ``among`` which.
        attention: pass over those that need no person.

    Raises:
        As ``board``.
    """
    engine = await _asked(services)
    found: list[BoardLine] = []
    with services.open_store() as store:
        while rows := store.records.board(portion=portion):
            lines = _lines(services, store, rows, engine, shown_time)
            found += [line for line in lines if line.attention or not attention]
            if len(rows) < portion.limit or len(found) >= portion.limit:
                break
            portion = replace(portion, after=rows[-1].book.book_id)
    return Board(tuple(found[: portion.limit]), engine.trouble)


def _lines(
    services: Services,
    store: CommandStore,
    rows: Sequence[BoardRow],
    engine: _Engine,
    shown: Callable[[datetime], str],
) -> Iterator[BoardLine]:
    for row in rows:
        read, unreadable = _read_once(services, store, row)
        other = _held_by(services, store, read) if read.shares_folder else ""
        yield board_line(_case(services, read, unreadable, engine, other), shown)


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
    """Make the entry of a book's present text, read from its tip."""
    figures = book_figures(read_view(services, book))
    state = "sealed" if figures.sealed else "open"
    detail = figures.model_dump(mode="json")
    return BoardEntry(book_id=book.book_id, about="text", state=state, at=services.now(), detail=detail)


def _held_by(services: Services, store: CommandStore, row: BoardRow) -> str:
    """Of a book that is registered at the folder of others: the one that the folder holds in its place."""
    if not _is_here(services, row):
        return ""
    now = books.marked_id(services, row.book.path)
    known = store.records.book(now) if now not in (None, row.book.book_id) else None
    here = known is not None and known.kind == "book" and known.queue == row.book.queue
    return known.book_id if known and here else ""


def _case(services: Services, row: BoardRow, unreadable: str, engine: _Engine, other: str) -> BoardCase:
    here, top = _is_here(services, row), Path(row.book.path)
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
