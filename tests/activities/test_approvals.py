"""Approval notices: recorded once, and posted once."""

from dataclasses import dataclass, field

import pytest
from temporalio.testing import ActivityEnvironment

from activities.approvals import ApprovalActivities
from penwright.adapters.clock import SystemClock
from penwright.domain import approvals
from penwright.domain.book import session as rules
from penwright.domain.book import transitions
from penwright.errors import PassingError
from schemas.book_session import AnnounceApproval
from schemas.intents import ApprovalDecision
from schemas.notices import Notice
from tests.support.books.sessions import EFFECT, NOON, a_need, an_opening, given, some_prose, state
from tests.support.doubles.store import MemoryStore, memory_store


@dataclass
class PaperOutbox:
    """Keeps notices; ``down``: it takes none."""

    posted: list[Notice] = field(default_factory=list)
    down: bool = False

    async def post(self, notice: Notice) -> None:
        if self.down:
            raise PassingError("engine-away", "Temporal does not answer")
        self.posted.append(notice)


@dataclass
class Desk:
    """The activity with its doubles."""

    store: MemoryStore = field(default_factory=lambda: memory_store(clock=SystemClock()))
    outbox: PaperOutbox = field(default_factory=PaperOutbox)

    async def announce(self, order: AnnounceApproval) -> None:
        activities = ApprovalActivities(self.store.records, self.outbox)
        await ActivityEnvironment().run(activities.announce_approval, order)

    @property
    def events(self) -> list[str]:
        return [event.kind for event in self.store.records.events_after(0)]


def an_order(decision: ApprovalDecision | None = None) -> AnnounceApproval:
    written = transitions.written(transitions.opened(state(), an_opening(), NOON), some_prose())
    order = rules.next_step(given(), approvals.asked(written, EFFECT, a_need(), NOON, end=None), EFFECT)
    assert isinstance(order, AnnounceApproval)
    return order.model_copy(update={"decision": decision})


async def test_approval_request_is_recorded_and_people_are_notified() -> None:
    desk = Desk()

    await desk.announce(an_order())

    assert desk.events == ["approval.asked"]
    (notice,) = desk.outbox.posted
    assert notice.title == "b: a change waits for approval"
    assert "'INT-001' does not own 'Soul.md'" in notice.body
    assert "`penwright intent deny b` before 2026-02-22 12:30 UTC" in notice.body
    assert (notice.subject, notice.data["book_id"]) == ("b", "b")


async def test_decision_is_recorded_with_author_and_reason_without_a_notice() -> None:
    desk, order = Desk(), an_order()
    decision = ApprovalDecision(
        approval=order.request.id,
        plan_digest=order.request.need.plan_digest,
        decided="denied",
        by="ada",
        reason="not Soul",
    )

    await desk.announce(an_order(decision))

    (event,) = desk.store.records.events_after(0)
    assert event.kind == "approval.denied"
    assert (event.data["by"], event.data["reason"], event.data["codes"]) == (
        "ada",
        "not Soul",
        ("SCOPE_VIOLATION",),
    )
    assert desk.outbox.posted == []


async def test_failed_notification_is_retried_without_a_second_record() -> None:
    desk = Desk(outbox=PaperOutbox(down=True))

    for _ in range(2):
        with pytest.raises(PassingError):
            await desk.announce(an_order())
    desk.outbox.down = False
    await desk.announce(an_order())

    assert desk.events == ["approval.asked"]
    assert len(desk.outbox.posted) == 1
