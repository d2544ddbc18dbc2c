"""A DOCX of a book for an editor: open notes as comments, and what changed as tracked changes."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol

from gateway.desk.services import Services
from gateway.desk.works.books import Book
from penwright.domain.book.exporting.reading_text import reading_text
from penwright.domain.book.files.layout import FULL_BOOK, REVIEW
from penwright.domain.text.counted import counted
from penwright.domain.text.word_marks import INK, comment_mark, with_changes_since
from penwright.errors import NotFound, UsageMistake
from schemas.workspace import Snapshot

_SHORT = 12


class Wished(Protocol):
    """The parts of an export's order that a DOCX depends on."""

    @property
    def format(self) -> str:
        """As ``exports.ExportFormat``."""

    @property
    def with_waiting(self) -> bool:
        """The waiting prose too."""

    @property
    def comments(self) -> bool:
        """Open notes as comments."""

    @property
    def since(self) -> str:
        """A commit; empty: no tracked changes."""


@dataclass(frozen=True, slots=True)
class Marked:
    """The text of a book with marks for Word."""

    text: str
    comments: int = 0
    changes: int = 0
    warnings: tuple[str, ...] = ()


def check(wish: Wished) -> None:
    """Raise ``UsageMistake`` if tracked changes are asked for in another format."""
    if wish.since and wish.format != "docx":
        raise UsageMistake(
            "changes-need-docx",
            f"only a DOCX has tracked changes, and the format is {wish.format}; nothing was written",
            hint="add `--to docx`, or leave `--changes-since` out",
        )


def marked(
    services: Services, book: Book, snapshot: Snapshot, wish: Wished, text: str, written_at: int
) -> Marked:
    """Return ``text``, as it is but for a DOCX.

    Raises:
        NotFound: ``no-such-commit``.
    """
    if wish.format != "docx":
        return Marked(text)
    date = datetime.fromtimestamp(written_at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    notes: list[str] = []

    def noted(note: str) -> str:
        notes.append(note)
        return comment_mark(INK, date, note)

    shown = _read(snapshot, wish, noted) if wish.comments else text
    if not wish.since:
        return Marked(shown, len(notes))
    before = _read(_at(services, book, wish.since), wish)
    compared = with_changes_since(before, shown, f"since {wish.since[:_SHORT]}", date)
    lists = counted(compared.unmarked, "changed list, table or verse", "changed lists, tables or verses")
    warnings = (f"without tracked changes, as they are now: {lists}",) if compared.unmarked else ()
    return Marked(compared.text, len(notes), compared.places, warnings)


def _read(snapshot: Snapshot, wish: Wished, noted: Callable[[str], str] | None = None) -> str:
    book, waiting = (
        snapshot.files[path].text if path in snapshot.files else "" for path in (FULL_BOOK, REVIEW)
    )
    return reading_text(book, waiting if wish.with_waiting else "", noted)


def _at(services: Services, book: Book, commit: str) -> Snapshot:
    try:
        return services.workspaces().snapshot(book.workspace, (FULL_BOOK, REVIEW), at=commit)
    except NotFound:
        raise NotFound(
            "no-such-commit",
            f"the book has no commit {commit!r}; nothing was written",
            hint="`git log --oneline` in the book's folder lists them; a tag of a session is one, too",
        ) from None
