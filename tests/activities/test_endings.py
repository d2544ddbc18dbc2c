"""How a session ended: what people are told of it, and how often."""

from dataclasses import dataclass, field
from datetime import timedelta
from types import SimpleNamespace
from typing import cast

from temporalio.client import Client, ScheduleState
from temporalio.service import RPCError, RPCStatusCode
from temporalio.testing import ActivityEnvironment

from activities.endings import EndingActivities
from penwright.adapters.clock import SystemClock
from penwright.domain.book.board import shown_time
from penwright.domain.book.session_warnings import OVERLONG
from schemas.base import BookId, Effect, OpId
from schemas.book_session import BookSessionResult, EndSession
from schemas.records import BookRow
from tests.activities.test_approvals import PaperOutbox
from tests.support.books.sessions import NOON, a_close
from tests.support.doubles.store import MemoryStore, memory_store
from tests.support.each import for_each

FROZEN = "Review/current.md line 1: close the comment. The prose from there on waits until you do."


@dataclass
class Desk:
    """The activity with its doubles."""

    store: MemoryStore = field(default_factory=lambda: memory_store(clock=SystemClock()))
    outbox: PaperOutbox = field(default_factory=PaperOutbox)
    client: Client | None = None

    async def end(self, session: str, *, after_hours: int = 0, **changes: object) -> None:
        at = NOON + timedelta(hours=after_hours)
        told = {"outcome": "closed", "book_id": BookId("tide"), "session": session, **changes}
        request = EndSession(
            effect=Effect(op_id=OpId(f"book/tide#{session}:5"), issued_at=at),
            result=BookSessionResult.model_validate(told),
        )
        await ActivityEnvironment(self.client).run(
            EndingActivities(self.store.records, self.outbox).end_session, request
        )

    @property
    def bodies(self) -> list[str]:
        return [notice.body for notice in self.outbox.posted]

    @property
    def keys(self) -> list[str]:
        return [notice.key for notice in self.outbox.posted]


async def test_a_closed_session_without_warnings_tells_no_one() -> None:
    desk = Desk()

    await desk.end("s1")

    assert desk.bodies == []


async def test_warnings_of_a_closed_session_are_sent() -> None:
    desk = Desk()

    await desk.end("s1", warnings=[FROZEN])

    assert desk.bodies == [f"Warning: {FROZEN}"]


async def test_the_same_warnings_have_one_key_a_day() -> None:
    desk = Desk()

    await desk.end("s1", warnings=[FROZEN])
    await desk.end("s2", warnings=[FROZEN], after_hours=6)
    await desk.end("s3", warnings=[FROZEN, "another"], after_hours=7)
    await desk.end("s4", warnings=[FROZEN], after_hours=30)

    first, second, third, fourth = desk.keys
    assert first == second
    assert len({first, third, fourth}) == 3


async def test_a_failed_session_is_sent_with_where_its_prose_lies() -> None:
    desk = Desk()

    await desk.end(
        "s1", outcome="failed", code="disk-full", message="no room", recovered="Review/recovered-1.md"
    )

    assert desk.bodies == ["no room (disk-full)\nIts prose is kept in Review/recovered-1.md."]


async def test_a_push_that_waits_is_sent_with_since_when() -> None:
    desk = Desk()
    desk.store.records.register(BookRow(book_id=BookId("tide"), path="/books/tide"))

    await desk.end("s1", push="pending", push_reason="no route")
    await desk.end("s2", push="pending", push_reason="no route", after_hours=30)

    said = f"Warning: not on the remote since {shown_time(NOON)}: no route"
    assert desk.bodies == [said, said]
    assert len(set(desk.keys)) == 2


async def test_a_push_that_arrived_is_no_news() -> None:
    desk = Desk()

    await desk.end("s1", push="pushed")

    assert desk.bodies == []


@dataclass
class PaperSchedule:
    """A client with one schedule, or none."""

    state: ScheduleState | None
    notes: list[str] = field(default_factory=list)

    def get_schedule_handle(self, _: str) -> "PaperSchedule":
        return self

    async def describe(self) -> SimpleNamespace:
        if self.state is None:
            raise RPCError("none", RPCStatusCode.NOT_FOUND, b"")
        return SimpleNamespace(schedule=SimpleNamespace(state=self.state))

    async def pause(self, *, note: str) -> None:
        self.notes.append(note)


@for_each(
    "state, at_target, pauses",
    [
        (ScheduleState(), "ask", True),
        (ScheduleState(), "complete", False),
        (ScheduleState(paused=True, note="by hand"), "ask", False),
        (None, "ask", False),
    ],
)
async def test_a_book_that_is_too_long_pauses_its_schedule_and_says_so(
    state: ScheduleState | None, at_target: str, pauses: bool
) -> None:
    schedule = PaperSchedule(state)
    desk = Desk(client=cast(Client, schedule))
    close = a_close().report.model_copy(update={"at_target": at_target})

    await desk.end("s1", report=close.model_dump(), warnings=[OVERLONG])

    assert schedule.notes == ([OVERLONG] if pauses else [])
    assert ("--resume` starts it again" in desk.bodies[0]) is pauses
