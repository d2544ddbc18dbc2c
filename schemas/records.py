"""Rows of the store as values."""

from datetime import datetime
from typing import Any

from schemas.base import BookId, Value


class BookRow(Value):
    """A registered book."""

    book_id: BookId
    path: str
    title: str = ""
    queue: str = "penwright-repo"
    remote_url: str = ""
    created_at: datetime | None = None


class RunRow(Value):
    """One run of a pipeline, as the store remembers it after Temporal forgets."""

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


class Event(Value):
    """One thing that happened; ``cursor`` is its position for readers that reconnect."""

    cursor: int = 0
    run: str
    subject: str
    kind: str
    at: datetime
    op_id: str
    """Unique: an event is recorded once per effect and kind."""
    data: dict[str, Any] = {}


class Spending(Value):
    """Tokens and money of one scope in one period."""

    scope: str
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_micros: int = 0
    unknown_prices: int = 0
    """Calls whose price is unknown."""
    possibly_billed: int = 0
    """Attempts that began and never reported; the provider may have billed them."""
