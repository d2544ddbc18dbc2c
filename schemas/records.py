"""Rows of the store."""

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
    """Tokens and cost of one run, subject or day."""

    scope: str
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_micros: int = 0
    unknown_prices: int = 0
    """Calls whose price is unknown."""
    possibly_billed: int = 0
    """Attempts that started but never ended; the provider may have billed them."""
