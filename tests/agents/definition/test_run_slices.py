"""Run state: the slices of a definition, filled, dumped and loaded."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import ClassVar

import pytest
from pydantic import BaseModel

from penwright.agents.definition.opened_sections import SectionOpened
from penwright.agents.definition.run_slices import BUILT_IN, faults, learned, registry_of
from penwright.agents.guardrails.feedback import FeedbackFailed, FeedbackGiven
from penwright.agents.guardrails.guardrail import Allow, Call, Deny, Policy, Verdict
from penwright.agents.guardrails.known_files import FileSeen, FileWritten
from penwright.agents.guardrails.policies import FileRead, ReadBeforeWrite, SequentialDependency
from penwright.agents.guardrails.selected_intent import SelectedIntent
from penwright.agents.state import (
    SliceItem,
    State,
    StateView,
    apply,
    dump_state,
    empty_state,
    load_state,
    registry,
)
from penwright.errors import BrokenDefinition
from schemas.agent import CallOutcome, SerializedState
from tests.support.agents.gardener import Locked, agent, section, tool
from tests.support.agents.guardrails import OnPath, a_call, an_outcome
from tests.support.agents.state import Diary, Note

READ_FIRST = ReadBeforeWrite(read=("dig",), write=("water",))
TOOLS = tuple(tool(name) for name in ("dig", "water", "test", "deploy"))
TESTED = SequentialDependency(needs={"deploy": ("test",)})


def filled(state: State) -> State:
    """Something in every built-in slice, and in the memories of two policies."""
    state = apply(
        state,
        [
            FeedbackFailed(provider="a", call=1, error="b"),
            FeedbackGiven(provider="a", trigger="every 2 calls", call=2, at=datetime(2026, 1, 1, tzinfo=UTC)),
            FileWritten(path="a.md", digest="d"),
            FileSeen(path="b.md", digest=""),
            SectionOpened(path="beds/shed", told=("beds/shed",)),
            SelectedIntent(intent_id="INT-1", digest="sha256:1"),
            Locked(locked=True),
        ],
    )
    for call in (a_call("water", OnPath(path="a.md")), a_call("test")):
        state = learned((READ_FIRST, TESTED), call, an_outcome(call), state)
    return state


def test_built_in_slices_load_whatever_the_registry_order() -> None:
    definition = agent(section(tools=TOOLS), slices=(Locked,), policies=(READ_FIRST, TESTED))
    state = filled(empty_state(registry_of(definition)))
    rest = dump_state(state).model_dump_json()

    memories = {TESTED.name: TESTED.memory, READ_FIRST.name: READ_FIRST.memory}
    again = load_state(
        SerializedState.model_validate_json(rest), registry((Locked, *reversed(BUILT_IN)), memories)
    )

    assert {one.name for one in dump_state(state).slices} == set(state.registry.slices)
    assert again == state
    assert dump_state(again).model_dump_json() == rest


def test_a_tool_in_one_section_waits_for_a_tool_in_another() -> None:
    definition = agent(
        section("checks", tools=(tool("test"),)),
        section("release", tools=(tool("deploy"),), policies=(TESTED,)),
    )
    state = empty_state(registry_of(definition))
    test = a_call("test")

    before = TESTED.check(a_call("deploy"), state.seen_by(TESTED.name))
    failed = learned(definition.every_policy, test, an_outcome(test, "failed"), state)
    after = learned(definition.every_policy, test, an_outcome(test), state)

    assert isinstance(before, Deny)
    assert "'test'" in before.reason
    assert isinstance(TESTED.check(a_call("deploy"), failed.seen_by(TESTED.name)), Deny)
    assert TESTED.check(a_call("deploy"), after.seen_by(TESTED.name)) == Allow()


def test_a_built_in_slice_that_is_declared_again_is_still_one() -> None:
    definition = agent(section(), slices=(SelectedIntent, Note, Diary))

    assert set(registry_of(definition).slices) == {*(kind.event_name for kind in BUILT_IN), "notes", "diary"}


class Thief(SliceItem):
    """Takes the name of a built-in slice."""

    event_name: ClassVar[str] = SelectedIntent.event_name


@pytest.mark.parametrize(
    ("missing", "policy"), [("dig", READ_FIRST), ("water", READ_FIRST), ("deploy", TESTED), ("test", TESTED)]
)
def test_a_policy_that_names_an_undeclared_tool_is_found(missing: str, policy: Policy) -> None:
    tools = tuple(one for one in TOOLS if one.name != missing)

    with pytest.raises(BrokenDefinition) as caught:
        agent(section(tools=tools), policies=(READ_FIRST, TESTED))

    assert caught.value.code == "unknown-tool"
    assert caught.value.details["token"] == policy.name
    assert f"names the tool {missing!r}, which no section declares" in caught.value.message


def test_a_policy_may_speak_of_a_built_in_tool() -> None:
    opened = SequentialDependency(needs={"dig": ("open_sections",)})

    definition = agent(section(tools=TOOLS), policies=(opened,))

    assert [code for code, _, _ in faults(definition)] == ["unknown-tool"]


def test_a_slice_that_takes_a_built_in_name_is_found() -> None:
    with pytest.raises(BrokenDefinition, match=r"'penwright\.selected-intent'") as caught:
        agent(section(), slices=(Thief,))

    assert caught.value.code == "bad-slice"


class Diarist(Policy):
    """Remembers every call, with its number among those it remembers."""

    memory: ClassVar[tuple[type[SliceItem], ...]] = (Note,)

    def check(self, call: Call, state: StateView) -> Verdict:
        return Allow()

    def learned(self, call: Call, outcome: CallOutcome, state: StateView) -> Sequence[BaseModel]:
        return (Note(text=f"{len(state.all(Note))} {call.tool.name}"),)


def test_a_policy_in_two_sections_records_each_call_once() -> None:
    diarist = Diarist(name="diarist")
    definition = agent(section("one", policies=(diarist,)), section("two", policies=(diarist,)))
    call = a_call("test")

    state = empty_state(registry_of(definition))
    for _ in range(2):
        state = learned(definition.every_policy, call, an_outcome(call), state)

    assert state.seen_by("diarist").all(Note) == (Note(text="0 test"), Note(text="1 test"))


def test_a_memory_of_a_policy_is_not_the_runs() -> None:
    state = empty_state(registry_of(agent(section(tools=TOOLS), policies=(READ_FIRST,))))

    assert "read-before-write/penwright.file-read" in state.registry.slices
    assert state.seen_by(READ_FIRST.name).all(FileRead) == ()
