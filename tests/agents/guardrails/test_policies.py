"""Policies: how they allow calls, and what they record of calls that were made."""

from collections.abc import Sequence
from typing import ClassVar

import pytest
from hypothesis import Phase, find, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from penwright.agents.definition.run_slices import learned
from penwright.agents.files.paths import canonical
from penwright.agents.guardrails.guardrail import Allow, Call, Deny, Policy, Verdict
from penwright.agents.guardrails.known_files import ABSENT, FileSeen, FileWritten, KnownFile
from penwright.agents.guardrails.policies import (
    FileRead,
    IntentSelected,
    ReadBeforeWrite,
    SequentialDependency,
    ToolSucceeded,
)
from penwright.agents.guardrails.selected_intent import SelectedIntent
from penwright.agents.state import StateView, apply, dump_state, load_state
from penwright.errors import BrokenDefinition
from schemas.agent import CallOutcome, SerializedState
from tests.support.agents.guardrails import Guarded, OnPath, OnPaths, a_call, an_outcome
from tests.support.agents.state import Shaken
from tests.support.each import for_each

SEARCH = settings(
    derandomize=True, database=None, deadline=None, max_examples=2_000, phases=(Phase.generate,)
)

# A17: one tool waits for another.

DEPLOY = SequentialDependency(needs={"deploy": ("test", "review")})


def test_a_denied_dependency_names_the_missing_tools() -> None:
    run = Guarded(DEPLOY)

    first = run.may(a_call("deploy"))
    run.make(a_call("test"))
    second = run.may(a_call("deploy"))
    run.make(a_call("review"))
    third = run.may(a_call("deploy"))

    assert isinstance(first, Deny)
    assert first.code == "dependency-missing"
    assert "'test' and 'review'" in first.reason
    assert isinstance(second, Deny)
    assert "'review'" in second.reason
    assert "'test'" not in second.reason
    assert third == Allow()


def test_a_failed_call_unlocks_nothing() -> None:
    run = Guarded(DEPLOY)
    test = a_call("test")

    for kind in ("failed", "stale", "denied", "cancelled"):
        run.state = learned(run.policies, test, an_outcome(test, kind), run.state)

    assert isinstance(run.may(a_call("deploy")), Deny)
    assert run.state.seen_by(DEPLOY.name) == run.state


def test_tools_without_dependents_are_not_recorded() -> None:
    run = Guarded(DEPLOY)

    for tool in ("lint", "test", "deploy", "test"):
        run.make(a_call(tool))

    assert run.state.seen_by(DEPLOY.name).all(ToolSucceeded) == (ToolSucceeded(tool="test"),)


def test_tools_that_wait_for_nothing_go_through() -> None:
    assert Guarded(DEPLOY).may(a_call("test")) == Allow()


@pytest.mark.parametrize("needs", [{"a": ("a",)}, {"a": ("b",), "b": ("c",), "c": ("a",)}])
def test_a_gate_that_could_never_open_is_refused_when_it_is_declared(
    needs: dict[str, tuple[str, ...]],
) -> None:
    with pytest.raises(BrokenDefinition, match="'a' wait for itself") as caught:
        SequentialDependency(needs=needs)

    assert caught.value.code == "policy-never-opens"


def test_policy_state_survives_dump_and_load() -> None:
    run = Guarded(DEPLOY, SequentialDependency(name="other", needs={"deploy": ("test",)}))
    run.make(a_call("test"))
    run.make(a_call("review"))

    rest = SerializedState.model_validate_json(dump_state(run.state).model_dump_json())
    run.state = load_state(rest, run.state.registry)

    assert run.may(a_call("deploy")) == Allow()
    assert [one.name for one in rest.slices] == [
        "other/penwright.tool-succeeded",
        "sequential-dependency/penwright.tool-succeeded",
    ]


@given(st.lists(st.tuples(st.sampled_from("abcd"), st.booleans()), max_size=12))
def test_a_tool_is_allowed_exactly_when_all_it_needs_has_succeeded(history: list[tuple[str, bool]]) -> None:
    needs = {"b": ("a",), "d": ("b", "c")}
    run, done = Guarded(SequentialDependency(needs=needs)), set[str]()

    for tool, succeeded in history:
        run.make(a_call(tool), kind="succeeded" if succeeded else "failed")
        done |= {tool} if succeeded else set()

        for asked in "abcd":
            assert isinstance(run.may(a_call(asked)), Allow) == done.issuperset(needs.get(asked, ()))


# A18: read before write.

READ_FIRST = ReadBeforeWrite(read=("show",), write=("save", "drop"))


def show(path: str) -> Call:
    return a_call("show", OnPath(path=path))


def save(path: str) -> Call:
    return a_call("save", OnPath(path=path), effect="workspace-write")


def test_a_read_file_may_be_replaced_while_unchanged() -> None:
    run = Guarded(READ_FIRST)

    run.make(show("a.md"), FileSeen(path="a.md", digest="d1"))

    assert run.may(save("a.md")) == Allow(facts={"a.md": "d1"})


def test_a_file_that_was_never_read_may_only_be_created() -> None:
    assert Guarded(READ_FIRST).may(save("a.md")) == Allow(facts={"a.md": ABSENT})


def test_reading_again_renews_what_is_known() -> None:
    run = Guarded(READ_FIRST)
    run.make(show("a.md"), FileSeen(path="a.md", digest="d1"))

    run.make(show("a.md"), FileSeen(path="a.md", digest="d2"))

    assert run.may(save("a.md")) == Allow(facts={"a.md": "d2"})


def test_a_file_the_agent_wrote_needs_no_reading() -> None:
    run = Guarded(READ_FIRST)

    run.make(save("a.md"), FileWritten(path="a.md", digest="w1"))
    run.make(save("a.md"), FileWritten(path="a.md", digest="w2"))

    assert run.may(save("a.md")) == Allow(facts={"a.md": "w2"})


def test_a_file_the_agent_removed_may_be_created_again() -> None:
    run = Guarded(READ_FIRST)
    run.make(show("a.md"), FileSeen(path="a.md", digest="d1"))

    run.make(a_call("drop", OnPath(path="a.md")), FileWritten(path="a.md", digest=ABSENT))

    assert run.may(save("a.md")) == Allow(facts={"a.md": ABSENT})


def test_a_search_hit_does_not_count_as_reading_the_file() -> None:
    run = Guarded(READ_FIRST)
    run.make(show("a.md"), FileSeen(path="a.md", digest="d1"))

    run.make(a_call("search"), FileSeen(path="a.md", digest="d2"), FileSeen(path="b.md", digest="d3"))

    assert run.may(save("a.md")) == Allow(facts={"a.md": "d1"})
    assert run.may(save("b.md")) == Allow(facts={"b.md": ABSENT})


def test_a_failed_read_does_not_count() -> None:
    run = Guarded(READ_FIRST)
    run.state = apply(run.state, [FileSeen(path="a.md", digest="d1")])

    run.state = learned(run.policies, show("a.md"), an_outcome(show("a.md"), "failed"), run.state)

    assert run.may(save("a.md")) == Allow(facts={"a.md": ABSENT})


@pytest.mark.parametrize("spelling", ["./a/b.md", "a//b.md", "a/x/../b.md", "a/./b.md"])
def test_all_spellings_of_a_path_are_one_path(spelling: str) -> None:
    run = Guarded(READ_FIRST)

    run.make(show(spelling), FileSeen(path="a/b.md", digest="d1"))
    run.make(show("c.md"), FileSeen(path="./c.md", digest="d2"))

    assert run.may(save("a/b.md")) == Allow(facts={"a/b.md": "d1"})
    assert run.may(save(spelling)) == Allow(facts={"a/b.md": "d1"})
    assert run.may(save("c.md")) == Allow(facts={"c.md": "d2"})


def test_letters_with_accents_are_one_path_however_they_are_composed() -> None:
    run = Guarded(READ_FIRST)

    run.make(show("cafe\u0301.md"), FileSeen(path="caf\u00e9.md", digest="d1"))

    assert run.may(save("caf\u00e9.md")) == Allow(facts={"caf\u00e9.md": "d1"})


@for_each("path", ["", ".", "..", "../a.md", "/a.md", "a/../../b", "C:/a", "a\\b", "a\x00b", "a "])
def test_a_write_with_an_unclear_path_is_denied(path: str) -> None:
    verdict = Guarded(READ_FIRST).may(save(path))

    assert isinstance(verdict, Deny)
    assert verdict.code == "path-unclear"


class Untyped(BaseModel):
    """Arguments that may hold anything."""

    path: object


@pytest.mark.parametrize(
    "call",
    [
        a_call("save"),
        a_call("save", OnPaths(sources=["a.md"])),
        a_call("save", Untyped(path=3)),
        a_call("save", Untyped(path=["a.md", 3])),
        a_call("save", Untyped(path=[])),
    ],
)
def test_a_write_without_a_path_is_denied(call: Call) -> None:
    verdict = Guarded(READ_FIRST).may(call)

    assert isinstance(verdict, Deny)
    assert verdict.code == "path-unclear"


def test_every_file_a_call_names_is_a_condition() -> None:
    run = Guarded(ReadBeforeWrite(read=("show",), write=("merge",), paths=("path", "sources", "target")))
    run.make(show("a.md"), FileSeen(path="a.md", digest="d1"))

    verdict = run.may(a_call("merge", OnPaths(sources=["./a.md", "b.md"], target="c.md")))

    assert verdict == Allow(facts={"a.md": "d1", "b.md": ABSENT, "c.md": ABSENT})


def test_tools_that_write_nothing_go_through() -> None:
    assert Guarded(READ_FIRST).may(show("../anything")) == Allow()


paths = st.sampled_from(["a", "./a", "b", "b/", "x/../b"])
steps = st.lists(
    st.tuples(st.sampled_from(["show", "save", "drop", "other", "meddle"]), paths, st.booleans()), max_size=15
)


def agrees_with_a_plain_disk(policy: Policy, steps: list[tuple[str, str, bool]]) -> bool:
    """Whether a write is allowed exactly when the file is as the model last read it.

    ``meddle`` is a change by another writer, ``other`` a tool that only finds the file.
    """
    run, disk, known = Guarded(policy), dict[str, str](), dict[str, str]()
    for number, (step, path, succeeds) in enumerate(steps):
        file, call = canonical(path) or "", a_call(step, OnPath(path=path))
        if step == "meddle":
            disk[file] = f"theirs {number}"
            continue
        allowed = run.may(call)
        facts = allowed.facts if isinstance(allowed, Allow) else {path: "anything"}
        fits = all(disk.get(canonical(one) or one, ABSENT) == wanted for one, wanted in facts.items())
        if step in ("save", "drop") and fits != (disk.get(file, ABSENT) == known.get(file, ABSENT)):
            return False
        if not succeeds or not fits:
            continue
        if step in ("save", "drop"):
            known[file] = disk[file] = ABSENT if step == "drop" else f"ours {number}"
            run.make(call, FileWritten(path=path, digest=disk[file]))
        else:
            known |= {file: disk.get(file, ABSENT)} if step == "show" else {}
            run.make(call, FileSeen(path=path, digest=disk.get(file, ABSENT)))
    return True


@given(steps)
def test_a_write_is_allowed_exactly_when_the_read_file_is_unchanged(
    steps: list[tuple[str, str, bool]],
) -> None:
    assert agrees_with_a_plain_disk(READ_FIRST, steps)


class AnySight(ReadBeforeWrite):
    """Planted fault: takes a file seen by any tool for a read one."""

    def learned(self, call: Call, outcome: CallOutcome, state: StateView) -> Sequence[BaseModel]:
        return tuple(FileRead(path=file.path, digest=file.digest) for file in state.all(KnownFile))


class ForgetsItsWrites(ReadBeforeWrite):
    """Planted: wants a file it wrote to be read again."""

    def learned(self, call: Call, outcome: CallOutcome, state: StateView) -> Sequence[BaseModel]:
        return super().learned(call, outcome, state) if call.tool.name in self.read else ()


class ByTheLetter(ReadBeforeWrite):
    """Planted: takes two spellings for two files."""

    def check(self, call: Call, state: StateView) -> Verdict:
        known = {one.path: one.digest for one in state.all(FileRead)}
        path = getattr(call.params, "path", "")
        return Allow(facts={path: known.get(path, ABSENT)}) if call.tool.name in self.write else Allow()


class Lenient(ReadBeforeWrite):
    """Planted: lets a call through that it knows nothing of."""

    def check(self, call: Call, state: StateView) -> Verdict:
        verdict = super().check(call, state)
        facts = verdict.facts if isinstance(verdict, Allow) else {}
        return Allow(facts={path: digest for path, digest in facts.items() if digest != ABSENT})


@pytest.mark.parametrize("faulty", [AnySight, ForgetsItsWrites, ByTheLetter, Lenient])
def test_a_fault_planted_into_read_before_write_is_found(faulty: type[ReadBeforeWrite]) -> None:
    policy = faulty(read=("show",), write=("save", "drop"))

    assert find(steps, lambda steps: not agrees_with_a_plain_disk(policy, steps), settings=SEARCH)


@given(st.lists(st.sampled_from(["", ".", "..", "a", "b", "é", "e\u0301"]), max_size=6).map("/".join))
def test_the_spelling_of_a_spelling_is_itself_and_stays_inside(path: str) -> None:
    spelled = canonical(path)

    assert spelled is None or canonical(spelled) == spelled
    assert spelled is None or not {"", ".", ".."} & set(spelled.split("/"))


# The files a run knows.


def test_a_file_stays_written_by_the_run_when_it_is_seen_again() -> None:
    run = Guarded()

    run.make(a_call("any"), FileWritten(path="a.md", digest="w1"), FileSeen(path="./a.md", digest="d2"))
    run.make(a_call("any"), FileSeen(path="b.md", digest="d1"))

    assert run.state.all(KnownFile) == (
        KnownFile(path="a.md", digest="d2", written=True),
        KnownFile(path="b.md", digest="d1"),
    )


# An intent first.


def test_nothing_is_written_before_an_intent_is_selected() -> None:
    run = Guarded(IntentSelected())

    before = run.may(save("a.md"))
    run.make(a_call("select_active_intent"), SelectedIntent(intent_id="INT-1", digest="sha256:1"))

    assert isinstance(before, Deny)
    assert before.code == "intent-not-selected"
    assert "'select_active_intent'" in before.reason
    assert run.may(save("a.md")) == Allow()


def test_reading_and_selecting_need_no_intent() -> None:
    run = Guarded(IntentSelected())

    assert run.may(show("a.md")) == Allow()
    assert run.may(a_call("select_active_intent", effect="workspace-write")) == Allow()


def test_only_the_tools_named_wait_for_an_intent() -> None:
    run = Guarded(IntentSelected(gated=("publish",)))

    assert run.may(save("a.md")) == Allow()
    assert isinstance(run.may(a_call("publish", effect="external")), Deny)


def test_the_intent_selected_last_is_the_one() -> None:
    run = Guarded(IntentSelected())

    for number in (1, 2):
        run.make(a_call("select"), SelectedIntent(intent_id=f"INT-{number}", digest="sha256:1"))

    assert run.state.all(SelectedIntent) == (SelectedIntent(intent_id="INT-2", digest="sha256:1"),)


# One policy's memory is no other's.


class Greedy(Policy):
    """A policy that tries to record a foreign event."""

    memory: ClassVar[tuple[type[FileRead], ...]] = (FileRead,)
    event: BaseModel

    def check(self, call: Call, state: StateView) -> Verdict:
        return Allow()

    def learned(self, call: Call, outcome: CallOutcome, state: StateView) -> Sequence[BaseModel]:
        return (self.event,)


def test_two_policies_with_the_same_kind_of_memory_do_not_share_it() -> None:
    run = Guarded(READ_FIRST, Greedy(name="greedy", event=FileRead(path="a.md", digest="wrong")))

    run.make(show("a.md"), FileSeen(path="a.md", digest="d1"))

    assert run.may(save("a.md")) == Allow(facts={"a.md": "d1"})


@pytest.mark.parametrize(
    "event",
    [SelectedIntent(intent_id="INT-9", digest=""), FileWritten(path="a", digest=""), Shaken(how="clear")],
)
def test_a_policy_reading_a_foreign_slice_is_a_broken_definition(event: BaseModel) -> None:
    run = Guarded(READ_FIRST, Greedy(name="greedy", event=event))
    before = run.state

    with pytest.raises(BrokenDefinition, match="of policy 'greedy'") as caught:
        run.make(show("a.md"), FileSeen(path="a.md", digest="d1"))

    assert caught.value.code == "unknown-event"
    assert run.state == before


class Forgetful(Policy):
    """Fails to learn."""

    def check(self, call: Call, state: StateView) -> Verdict:
        return Allow()

    def learned(self, call: Call, outcome: CallOutcome, state: StateView) -> Sequence[BaseModel]:
        raise KeyError("lost")


def test_a_policy_that_fails_to_learn_breaks_the_definition_by_name() -> None:
    run = Guarded(READ_FIRST, Forgetful(name="forgetful"))

    with pytest.raises(BrokenDefinition, match=r"'forgetful' failed to learn of a call of 'show'") as caught:
        run.make(show("a.md"), FileSeen(path="a.md", digest="d1"))

    assert caught.value.code == "policy-failed"


def test_a_tool_cannot_emit_an_event_of_a_policy() -> None:
    run = Guarded(READ_FIRST)

    with pytest.raises(BrokenDefinition, match="'FileRead'"):
        run.make(show("a.md"), FileRead(path="a.md", digest="forged"))
