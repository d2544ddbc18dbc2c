"""Rows of the store."""

from datetime import datetime
from typing import Any, Literal

from schemas.base import BookId, Value

WorkspaceKind = Literal["book", "novel"]

SpendingBy = Literal["role", "model", "day"]
"""Key by which spending is added up."""


class BookRow(Value):
    """A registered book or novel."""

    book_id: BookId
    kind: WorkspaceKind = "book"
    path: str
    title: str = ""
    queue: str = "penwright-repo"
    remote_url: str = ""
    created_at: datetime | None = None


class BoardEntry(Value):
    """One side of a book as it was noted last, for the board."""

    book_id: BookId
    about: Literal["text", "push", "ending", "reading"]
    """``text``: its words. ``push``: what the remote has. ``ending``: how the newest session ended.
    ``reading``: how the clerk's last run ended."""
    state: str
    """Present state, in a word."""
    at: datetime
    """When it was noted."""
    since: datetime | None = None
    """Since when ``state`` holds; set by the store."""
    detail: dict[str, Any] = {}


class BoardRow(Value):
    """A registered book and all that the store knows of it."""

    book: BookRow
    entries: tuple[BoardEntry, ...] = ()
    """At most one of each kind, sorted by ``about``."""
    cost_micros: int = 0
    """Cost of its model calls, in millionths of a US dollar."""
    unknown_prices: int = 0
    """Model calls whose price is unknown; they are not in ``cost_micros``."""
    shares_folder: bool = False
    """Another book is registered at the same folder."""

    def entry(self, about: str) -> BoardEntry | None:
        """The entry of a kind, if there is one."""
        return next((entry for entry in self.entries if entry.about == about), None)


class RunRow(Value):
    """One run of a pipeline; the store keeps it longer than Temporal does."""

    run: str
    """Workflow id and session, ``book/<id>#<session>``."""
    pipeline: str
    subject: str
    stage: str
    outcome: str = ""
    words: int = 0
    cost_micros: int = 0
    started_at: datetime | None = None
    ended_at: datetime | None = None
    detail: dict[str, Any] = {}

    @property
    def unknown_prices(self) -> int:
        """Model calls whose price is unknown; they are not in ``cost_micros``. Its end tells them."""
        return int((self.detail.get("spent") or self.detail).get("unknown_prices") or 0)


class RunTally(Value):
    """The runs of one subject, added up."""

    words: int
    """Of the newest run."""
    cost_micros: int
    """Of all."""
    unknown_prices: int = 0
    """Model calls of all whose price is unknown; they are not in ``cost_micros``."""
    ended: RunRow | None
    """The newest one that has ended."""


class Event(Value):
    """One event of a run; readers that reconnect continue after its ``cursor``."""

    cursor: int = 0
    run: str
    subject: str
    kind: str
    at: datetime
    op_id: str
    """Op id of the effect; unique with ``kind``, so that an event is stored once."""
    data: dict[str, Any] = {}


class Spending(Value):
    """Tokens, as in ``Usage``, and cost of one run, subject or day."""

    scope: str
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    written_tokens: int = 0
    thought_tokens: int = 0
    cost_micros: int = 0
    unknown_prices: int = 0
    """Calls whose price is unknown."""
    possibly_billed: int = 0
    """Attempts that started but never ended; the provider may have billed them."""
