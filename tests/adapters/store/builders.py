"""The smallest values a store accepts, and a clock that a test sets."""

from datetime import UTC, datetime, timedelta

from penwright.adapters.store import Store
from schemas.agent import ToolCall
from schemas.base import BookId, Effect, OpId
from schemas.model import BudgetScope, Message, ModelRequest, ModelResponse, Usage
from schemas.records import BookRow, Event, RunRow
from tests.support.doubles.store import MemoryStore

AnyStore = Store | MemoryStore

NOON = datetime(2026, 3, 14, 12, tzinfo=UTC)


class SetClock:
    """A clock that only a test moves."""

    def __init__(self, at: datetime = NOON) -> None:
        self.at = at

    def now(self) -> datetime:
        return self.at

    def pass_time(self, **time: float) -> None:
        self.at += timedelta(**time)


def a_run(run: str = "book/lamp#1", *, stage: str = "open", subject: str = "lamp") -> RunRow:
    return RunRow(run=run, pipeline="book_session", subject=subject, stage=stage, started_at=NOON)


def an_event(
    op_id: str = "book/lamp#1/1", *, kind: str = "opened", run: str = "book/lamp#1", note: object = ""
) -> Event:
    return Event(run=run, subject="lamp", kind=kind, at=NOON, op_id=op_id, data={"note": note})


def a_book(book_id: str = "lamp", *, title: str = "The Lamp") -> BookRow:
    return BookRow(book_id=BookId(book_id), path=f"/books/{book_id}", title=title)


def a_request(
    op_id: str = "book/lamp#1/2", *, run: str = "book/lamp#1", subject: str = "lamp", prompt: str = "Write."
) -> ModelRequest:
    return ModelRequest(
        effect=Effect(op_id=OpId(op_id), issued_at=NOON),
        role="writer",
        messages=(Message(role="user", content=prompt),),
        max_output_tokens=100,
        timeout_s=60,
        scope=BudgetScope(run=run, subject=subject),
    )


def an_answer(
    text: str = "It was dark.",
    *,
    tokens: int = 30,
    micros: int | None = 500,
    calls: tuple[ToolCall, ...] = (),
) -> ModelResponse:
    usage = Usage(input_tokens=tokens - tokens // 2, output_tokens=tokens // 2, cost_micros=micros)
    return ModelResponse(
        text=text,
        model="quill-1",
        provider="scripted",
        finish_reason="tool" if calls else "stop",
        usage=usage,
        tool_calls=calls,
        rung="native",
    )
