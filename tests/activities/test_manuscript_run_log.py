"""What the store and people are told of a manuscript's run."""

from datetime import UTC, datetime
from typing import Any

import pytest

from activities.manuscripts.run_log import ManuscriptRunLog
from penwright.adapters.clock import SystemClock
from schemas.base import Effect, OpId
from schemas.intents import ApprovalDecision, ApprovalNeed, ApprovalRequest
from schemas.manuscript import AnnounceDraft, EndManuscript, ManuscriptResult, Scored, Upkeep
from schemas.workspace import Workspace
from tests.support.doubles.store import MemoryStore, memory_store

AT = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)
EFFECT = Effect(op_id=OpId("manuscript/tide/-#s1:9"), issued_at=AT)
FIELDS: dict[str, Any] = {
    "effect": EFFECT,
    "subject": "tide",
    "workspace": Workspace(path="/novels/tide"),
    "session": "s1",
    "scene": "-",
}
NEED = ApprovalNeed(
    plan_digest="sha256:0",
    intent_id="INT-001",
    codes=("INTENT_CHANGED",),
    reasons=("the intent was worded anew",),
    hint="select it again",
    paths=("manuscript.md",),
)


@pytest.fixture
def store() -> MemoryStore:
    return memory_store(clock=SystemClock())


def ending(**result: Any) -> EndManuscript:
    usual = {"outcome": "unfinished", "stop": "passes_spent", "code": "passes-spent", "message": "Spent."}
    told = ManuscriptResult(
        **{**usual, "novel": "tide", "scene": "-", "session": "s1", "words": 90, **result}
    )
    return EndManuscript(**FIELDS, upkeep=Upkeep(), base_version=0, result=told)


def test_the_end_of_a_run_is_in_its_row_and_in_one_event(store: MemoryStore) -> None:
    log = ManuscriptRunLog(store.records)

    for _ in range(2):
        log.ended(ending(cost_micros=70))

    (row,) = store.records.runs()
    assert (row.run, row.subject, row.pipeline) == ("manuscript/tide/-#s1", "tide/-", "manuscript")
    assert (row.outcome, row.words, row.cost_micros, row.ended_at) == ("passes-spent", 90, 70, AT)
    assert [event.kind for event in store.records.events_after(0)] == ["ended"]


def test_people_hear_the_score_the_way_back_and_what_the_remote_lacks(store: MemoryStore) -> None:
    back = "penwright manuscript rollback tide - --to abc"
    last = Scored(revision="def", score=0.6, pass_index=3)
    told = ending(last=last, way_back=back, push="pending", push_reason="it did not answer")

    notice = ManuscriptRunLog(store.records).notice(told)

    assert notice is not None
    assert notice.title == "tide/-: manuscript passes-spent"
    assert notice.body.splitlines() == [
        "Spent.",
        "The last score is 0.60.",
        "90 words.",
        f"An earlier revision scored better; `{back}` brings it back.",
        "Not on the remote: it did not answer",
    ]
    assert notice.key == EFFECT.op_id


@pytest.mark.parametrize("stop", ["stopped", "killed"])
def test_who_ended_a_run_is_not_told_that_it_ended(store: MemoryStore, stop: str) -> None:
    assert ManuscriptRunLog(store.records).notice(ending(outcome="stopped", stop=stop)) is None


def test_a_question_names_the_rule_and_the_commands_and_is_recorded_with_its_answer(
    store: MemoryStore,
) -> None:
    log = ManuscriptRunLog(store.records)
    asked = ApprovalRequest(id="AP-1", need=NEED, effect=EFFECT, expires_at=AT)
    announcing = AnnounceDraft(**FIELDS, request=asked)
    decision = ApprovalDecision(approval="AP-1", plan_digest="sha256:0", decided="denied", by="ada")
    answered = Effect(op_id=OpId("manuscript/tide/-#s1:10"), issued_at=AT)

    log.approval(announcing)
    log.approval(announcing.model_copy(update={"decision": decision, "effect": answered}))

    assert "penwright intent approve tide" in log.question(announcing).body
    assert "INTENT_CHANGED" in log.question(announcing).body
    kinds = [event.kind for event in store.records.events_after(0)]
    assert kinds == ["approval.asked", "approval.denied"]
