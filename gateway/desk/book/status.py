"""All that a page of one book shows: its state, chapters, sessions, and what waits."""

import asyncio
from dataclasses import dataclass

from gateway.desk.book import board, overview
from gateway.desk.book.lost_config import naming_restore
from gateway.desk.book.outlines import ProposedOutline, planning_of
from gateway.desk.book.session_log import LogEntry
from gateway.desk.services import Services
from gateway.desk.works.approvals import AskedChange, asked_change, pending
from gateway.desk.works.books import Book
from penwright.domain.book.chapters import ChapterLine, chapter_lines
from penwright.domain.book.files.layout import FULL_BOOK, SESSION_PATTERNS, names_at
from penwright.domain.book.view import read_book
from penwright.errors import EngineUnavailable
from schemas.board import BoardLine
from schemas.book import BookStatus

_SESSIONS = 60


@dataclass(frozen=True, slots=True)
class BookDetails:
    """One book."""

    line: BoardLine
    status: BookStatus
    chapters: tuple[ChapterLine, ...]
    sessions: tuple[LogEntry, ...]
    """The last 60, newest first."""
    outlines: tuple[ProposedOutline, ...]
    """Those that wait for a person."""
    approval: AskedChange | None
    """Change for which its running session asks approval."""
    trouble: str = ""
    """Reason why it is not known what runs; empty if it is."""


async def book_details(services: Services, book: Book) -> BookDetails:
    """All of one book.

    Raises:
        EngineUnavailable, StoreUnavailable: there is no store.
        BrokenBook: a file of it cannot be read.
    """
    found = await board.board(services, only=book.book_id)
    asked = None
    if any(line.state == "waits for approval" for line in found.lines):
        asked = await _asked(services, book)
    status, chapters, sessions, outlines = await asyncio.to_thread(_read, services, book)
    return BookDetails(found.lines[0], status, chapters, sessions, outlines, asked, found.trouble)


def chapters_of(services: Services, book: Book) -> tuple[ChapterLine, ...]:
    """The chapters of a book at its tip."""
    names = names_at(services.now())
    patterns = (*SESSION_PATTERNS, FULL_BOOK)
    snapshot = services.workspaces().snapshot(book.workspace, patterns, names=names)
    with naming_restore(book):
        view = read_book(snapshot)
    current, text = view.state.current_chapter, view.text(FULL_BOOK)
    return chapter_lines(view.config, current, view.outlines(), text, sealed=view.sealed)


def _read(
    services: Services, book: Book
) -> tuple[BookStatus, tuple[ChapterLine, ...], tuple[LogEntry, ...], tuple[ProposedOutline, ...]]:
    status = overview.book_status(services, book)
    log = overview.sessions(services, book, _SESSIONS)
    proposed = planning_of(services, book).proposed if status.outlines_proposed else ()
    return status, chapters_of(services, book), log.entries, proposed


async def _asked(services: Services, book: Book) -> AskedChange | None:
    try:
        waiting = await pending(services, book)
    except EngineUnavailable:
        return None
    if not waiting:
        return None
    return await asyncio.to_thread(asked_change, services, waiting[0].request)
