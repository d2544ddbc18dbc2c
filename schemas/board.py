"""The board of books: one line for each registered book, and what needs a person."""

from datetime import datetime, timedelta
from typing import Literal

from schemas.base import BookId, LengthUnit, Progress, Value
from schemas.records import BoardRow

BoardState = Literal[
    "idle",
    "open",
    "writing",
    "paused",
    "waits for approval",
    "stuck",
    "refused",
    "failed",
    "killed",
    "sealed",
    "gone",
    "unreadable",
]


class Attention(Value):
    """One thing that waits for a person."""

    reason: str
    command: str
    """Command to run next."""
    also: str = ""
    """Another command that may fit instead; empty if there is none."""


class Timetabled(Value):
    """A book's schedule, in short."""

    next_run: datetime | None = None
    """None while it is paused."""
    every: timedelta | None = None
    """Time between two runs, the mean of a year; None: not known."""
    paused: bool = False
    note: str = ""
    """Reason why it is paused."""


class BoardCase(Value):
    """All that is known of one book: by the store, the engine and its folder."""

    row: BoardRow
    running: Progress | None = None
    """The session or errand that holds the book."""
    schedule: Timetabled | None = None
    folder: Literal["there", "gone", "elsewhere"] = "there"
    """``elsewhere``: on the disk of another host, which is not looked at."""
    replaced_by: str = ""
    """Id of the book that lies in its folder now; the book itself is gone then."""
    config_deleted: bool = False
    """Its Config.yml is missing in the folder."""
    unreadable: str = ""
    """Reason why it could not be read, when the store knew nothing of it."""


class LastSession(Value):
    """End of the newest session."""

    session: str = ""
    outcome: str
    code: str = ""
    message: str = ""
    stopped_by: str = ""
    recovered: str = ""
    """File under ``Review/`` with its prose, if that could not be closed."""
    model: str = ""
    words: int = 0
    warnings: tuple[str, ...] = ()
    at: datetime
    since: datetime
    """Since when sessions have ended in this way."""


class BoardLine(Value):
    """One book."""

    book_id: BookId
    title: str
    path: str
    state: BoardState
    detail: str = ""
    """Present activity, or the reason for the book's state."""
    words: int = 0
    unit: LengthUnit = "words"
    waiting: int = 0
    """Words that wait for the author's review; they are not in ``words``."""
    target: int = 0
    last: LastSession | None = None
    next_run: datetime | None = None
    sessions_left: int | None = None
    """Until its end, if each writes what is wanted; None: not known."""
    last_run: datetime | None = None
    """When its schedule is about to start the last of them."""
    schedule: Literal["none", "on", "paused"] = "none"
    cost_micros: int = 0
    unknown_prices: int = 0
    push: str = ""
    """``pushed``, ``pending`` or ``local``; empty before the first session."""
    push_since: datetime | None = None
    push_reason: str = ""
    attention: tuple[Attention, ...] = ()
