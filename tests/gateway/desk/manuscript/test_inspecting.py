"""Inspecting a document's agents: variables now and before, and the exact prompt of any past call."""

from dataclasses import replace
from pathlib import Path

import pytest
from temporalio.testing import WorkflowEnvironment

from gateway.desk.works import inspecting
from penwright.errors import NotFound, UsageMistake
from schemas.agent import AgentMessage
from schemas.agent_state import ActionEntry, CallEntry, StateChanges, StateKey, WriteState
from schemas.base import OpId
from schemas.manuscript_roles import PlannedSection
from schemas.model import ModelRequest
from tests.adapters.store.builders import NOON, SetClock
from tests.support.doubles.store import MemoryStore, memory_store
from tests.support.workflows.librarian import calls, library, says

KEY = StateKey(novel="tide", scene="dawn")


@pytest.fixture
def store() -> MemoryStore:
    return memory_store(clock=SetClock())


def write(store: MemoryStore, op_id: str, base: int, changes: StateChanges) -> None:
    store.agent_states.write(
        WriteState(key=KEY, changes=changes, base_version=base, op_id=OpId(op_id), by="ada", at=NOON)
    )


def value(store: MemoryStore, name: str) -> object:
    return inspecting.variable(store, KEY, name).value


def test_a_document_that_no_agent_has_touched_shows_the_defaults(store: MemoryStore) -> None:
    assert value(store, "max_passes") == 3
    assert value(store, "has_format_guidance") is False
    assert value(store, "last_history_entry") == ""
    assert inspecting.variable(store, KEY, "instructions").past == ()


def test_a_variable_is_shown_now_and_before(store: MemoryStore) -> None:
    write(store, "1", 0, StateChanges(format_guidance="short"))
    write(store, "2", 1, StateChanges(format_guidance="long", pass_index=1))

    view = inspecting.variable(store, KEY, "format_guidance")

    assert view.value == "long"
    assert [(each.version, each.value) for each in view.past] == [(2, "long"), (1, "short")]
    assert inspecting.at_version(store, KEY, 1).format_guidance == "short"
    assert value(store, "has_format_guidance") is True
    assert {each.name for each in inspecting.variables(store, KEY)} >= {"section_plan", "pass_index"}


def test_an_unknown_variable_or_version_is_named_with_what_is_known(store: MemoryStore) -> None:
    with pytest.raises(UsageMistake) as unknown:
        inspecting.variable(store, KEY, "section_title")
    with pytest.raises(NotFound) as never:
        inspecting.at_version(store, KEY, 3)

    assert unknown.value.code == "unknown-variable"
    assert "section_plan" in unknown.value.details["hint"]
    assert never.value.code == "unknown-version"


def test_the_last_action_is_what_the_manager_is_told(store: MemoryStore) -> None:
    entry = ActionEntry(
        op_id=OpId("1"), run="r", at=NOON, action="plan", outcome="done", summary="planned two sections"
    )
    call = CallEntry(op_id=OpId("1"), run="r", at=NOON, role="planner", agent="a", outcome="completed")
    store.agent_logs.append([(KEY, entry), (KEY, call)])

    assert value(store, "last_history_entry") == "plan: planned two sections"
    assert inspecting.actions(store, KEY) == (entry,)
    assert inspecting.actions(store, KEY, run="another") == ()
    assert inspecting.history(store, KEY, "r") == (entry,)
    with pytest.raises(NotFound) as unknown:
        inspecting.history(store, KEY, "another")
    assert unknown.value.code == "unknown-run"


def test_the_plan_says_which_sections_are_drafted(store: MemoryStore) -> None:
    plan = tuple(PlannedSection(section_title=title, section_summary="…") for title in ("Ebb", "2. Flow"))
    write(store, "1", 0, StateChanges(section_plan=plan))
    write(store, "2", 1, StateChanges(sections_drafted=("Flow",)))

    now = inspecting.variable(store, KEY, "section_plan").value

    assert isinstance(now, list)
    assert [each["status"] for each in now if isinstance(each, dict)] == ["pending", "drafted"]


def test_scores_and_actions_are_shown_now_and_before(store: MemoryStore) -> None:
    assert value(store, "critique_score") is None
    critiques = [("", 0.8), ("", 0.5), ("regression", 0.5)]
    for number, (code, score) in enumerate(critiques):
        entry = ActionEntry(
            op_id=OpId(str(number)), run="r", at=NOON, action="critique", outcome="done", code=code,
            summary=f"Score {score}.", score=score,
        )  # fmt: skip
        store.agent_logs.append([(KEY, entry)])

    scores = inspecting.variable(store, KEY, "critique_score")
    told = inspecting.variable(store, KEY, "last_history_entry", limit=2)

    assert (scores.value, [each.value for each in scores.past]) == (0.5, [0.5, 0.8])
    assert [each.value for each in told.past] == ["critique: Score 0.5."] * 2


async def test_the_exact_prompt_of_every_past_call_can_be_read_again(
    temporal_env: WorkflowEnvironment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[tuple[AgentMessage, ...]] = []
    answers = (calls(("read_page", {"path": "a"})), says("It says old."))
    async with library(temporal_env.client, tmp_path, *answers, pages={"a": "old"}) as here:
        ledger = here.store.ledger
        reserve = ledger.reserve

        def reserved(request: ModelRequest, *, estimate_micros: int | None, estimate_tokens: int) -> None:
            sent.append(request.messages)
            reserve(request, estimate_micros=estimate_micros, estimate_tokens=estimate_tokens)

        monkeypatch.setattr(ledger, "reserve", reserved)
        await here.run()
        done = CallEntry(
            op_id=OpId(here.queue), run="r", at=NOON, role="reader", agent="test/x", outcome="completed"
        )
        here.store.agent_logs.append([(KEY, done)])
        made = inspecting.calls(here.store, KEY)
        views = [inspecting.call(here.store, OpId(call.op_id)) for call in made]
        last = inspecting.call(here.store, OpId(here.queue))

    assert [view.messages for view in views] == sent
    assert [len(messages) for messages in sent] == [2, 4]
    assert views[0].reply is not None
    assert [call.name for call in views[0].reply.tool_calls] == ["read_page"]
    assert last == views[1]
    assert last.reply is not None
    assert last.reply.content == "It says old."


async def test_a_prompt_that_was_swept_is_said_to_be_missing(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    async with library(temporal_env.client, tmp_path, says("Done.")) as here:
        await here.run()
        (made,) = inspecting.calls_of(here.store, here.queue)
        assert made.prompt is not None
        without_texts = replace(here.store, blobs=memory_store(clock=SetClock()).blobs)
        view = inspecting.call(without_texts, OpId(made.op_id))

    assert view.messages == ()
    assert made.prompt.sha256 in view.missing


def test_an_unknown_call_is_refused(store: MemoryStore) -> None:
    with pytest.raises(NotFound) as caught:
        inspecting.call(store, OpId("manuscript/tide/dawn#1/planner#2"))

    assert caught.value.code == "unknown-call"
