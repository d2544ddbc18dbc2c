"""One test for each row of the document that the agent layer implements, in its order.

What a row means in depth is tested beside the module that does it; here each is shown to be there, through
the public API. Rows about processes (events, bundles, health, shutdown, the mailbox) are shown by
``tests/gateway``, ``tests/workers`` and ``tests/workflows`` under the row's name.
"""

import ast
import re
import tomllib
from collections.abc import Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

import pytest
from pydantic import BaseModel

import penwright.agents
from penwright.agents.definition.agent import AgentDefinition, Section
from penwright.agents.definition.experiments import experiment, pin
from penwright.agents.definition.linting import findings
from penwright.agents.definition.manifest import definition_digest
from penwright.agents.definition.opened_sections import SectionOpened
from penwright.agents.definition.skills import mounted
from penwright.agents.evals.evaluators import contains
from penwright.agents.evals.report import report
from penwright.agents.files.filesystem import TreeFiles
from penwright.agents.guardrails.completion import AllOf, FilesExist
from penwright.agents.guardrails.feedback import FixedText
from penwright.agents.guardrails.guardrail import Allow, Call, Deny, Policy, Verdict
from penwright.agents.guardrails.policies import SequentialDependency
from penwright.agents.guardrails.triggers import EveryCalls
from penwright.agents.loop.run import Run, begin, state_at_rest
from penwright.agents.loop.transcript import gaps
from penwright.agents.loop.turn_request import Turn, turn_request
from penwright.agents.prompt.overridable import descriptor
from penwright.agents.prompt.overrides import resolve, texts_of
from penwright.agents.state import (
    SliceItem,
    StateView,
    applied_failed,
    at_rest,
    empty_state,
    from_rest,
    registry,
)
from penwright.agents.state import apply as applied
from penwright.agents.tools.offers import arguments_schema
from penwright.agents.tools.resources import managed, opened, plain
from penwright.agents.tools.tool import Ok, ToolResult
from penwright.errors import BrokenDefinition, Refused, UsageMistake
from penwright.roles import catalogue
from penwright.roles.outside_agent.tools import TOOLS
from schemas.agent import AgentMessage
from schemas.agent_run import AgentRunInput, AgentRunState, RunLimits
from schemas.base import Effect, OpId
from schemas.model import BudgetScope
from schemas.overrides import Override, OverrideSet, ResolvedOverrides
from schemas.workspace import Create, Delete, MutationPlan, Workspace
from tests.support.agents_clerk import Door, Remark, Report, clerk
from tests.support.agents_definition import (
    Holding,
    Locked,
    Season,
    agent,
    gardener,
    rendered,
    section,
    skill,
    tool,
)
from tests.support.agents_evals import observed, results
from tests.support.agents_files import MemoryTree
from tests.support.agents_loop import NOON, Said, World, call, calls, given_run, limits, outcomes, say
from tests.support.agents_state import Diary, Note, Renamed
from tests.support.repos import plan_of

ROWS = (
    *("thesis", "definition versus harness", "prompt is the agent", "policies over workflows"),
    *("event driven state", "transactional tools", "provider agnostic", "module architecture"),
    *("prompt system", "session state", "tool runtime", "guardrails", "adapters", "resource registry"),
    *("agent loop", "data flow", "observability", "event system", "transcripts", "debug bundle"),
    *("session snapshots", "graceful shutdown", "health", "watchdog", "mailbox", "time", "serialization"),
    *("design by contract", "filesystem", "skills", "evaluation framework", "experiments"),
    *("prompt overrides", "layer discipline", "pure reducers", "fail closed policies", "typed prompts"),
    *("hash validated overrides", "no global mutable state"),
)
"""Its headings and the rows that stand below them in bold; what is said of coverage is set aside, see
``docs/decisions.md``."""
READ = call("read_page", '{"path": "a.md"}')
WRITE = call("write_page", '{"path": "a.md"}')
NOTES: list[type[BaseModel]] = [Note, Diary]


def played(
    definition: AgentDefinition, *lines: Said, given: AgentRunInput | None = None
) -> tuple[World, Run]:
    world = World(definition, list(lines))
    return world, world.play(given)


PROJECT = Path(__file__).parent.parent.parent


@pytest.mark.parametrize("row", ROWS)
def test_each_row_has_a_test_that_is_named_after_it(row: str) -> None:
    assert [name for name in _named() if name.startswith((f"{row} ", f"the {row} "))]


@cache
def _named() -> Sequence[str]:
    """Every test of the project, as words."""
    files = Path(__file__).parent.parent.rglob("test_*.py")
    found = (
        re.findall(r"^(?:async )?def test_(\w+)", file.read_text("utf-8"), re.MULTILINE) for file in files
    )
    return [name.replace("_", " ") for names in found for name in names]


# Thesis, and definition versus harness.


def test_thesis_the_model_is_exchanged_and_what_it_is_given_stays() -> None:
    one, _ = played(clerk(), calls(READ), say("Done."), given=given_run(model_role="cheap"))
    other, _ = played(clerk(), calls(READ), say("Done."), given=given_run(model_role="dear"))

    asked, asked_too = one.asked[0], other.asked[0]
    assert (asked.model_role, asked_too.model_role) == ("cheap", "dear")
    assert asked.prompt_digest == asked_too.prompt_digest
    assert one.told() == other.told()


def test_definition_versus_harness_recovery_and_budgets_are_the_runs_and_not_the_definitions() -> None:
    rested = World(clerk(), [calls(READ), calls(READ), say("Done.")], rest_after=1)
    rested.play()
    capped, _ = played(
        clerk(), calls(READ), say("What I have."), given=given_run(limits=limits(model_calls=2))
    )

    assert not set(AgentDefinition.model_fields) & set(RunLimits.model_fields)
    assert rested.segments > 1
    assert (rested.result().outcome, capped.result().outcome) == ("completed", "budget")
    assert definition_digest(rested.definition) == definition_digest(capped.definition)


# Guiding principles.


def test_the_prompt_is_the_agent_a_section_leaves_with_its_text_its_tools_and_all_below_it() -> None:
    both = (SectionOpened(path="shed"),)
    there, gone = rendered(Holding(both)), rendered(Holding((*both, Locked(locked=True))))

    assert {"dig", "label"} <= set(there.tools)
    assert not {"dig", "label"} & set(gone.tools)
    assert ("Spades and forks." in there.text, "Spades and forks." in gone.text) == (True, False)


def test_policies_over_workflows_constraints_are_told_and_the_way_is_the_agents_own() -> None:
    definition = clerk(policies=(SequentialDependency(needs={"write_page": ("read_page",)}),))

    world, run = played(definition, calls(WRITE), calls(READ), calls(WRITE), say("Done."))

    assert outcomes(run) == [("denied", "dependency-missing"), ("succeeded", ""), ("succeeded", "")]
    assert "Call 'read_page' first" in world.told()[0]


def test_event_driven_state_changes_by_events_and_by_nothing_else() -> None:
    before = applied(empty_state(registry(NOTES)), [Note(text="one")])

    after = applied(before, [Renamed(to="Ada")])

    assert [note.text for note in before.all(Note)] == ["one"]
    assert [note.text for note in after.all(Note)] == ["Ada"]
    with pytest.raises(Exception, match="frozen"):
        setattr(before.all(Note)[0], "text", "two")  # noqa: B010  # a type checker forbids it too


def test_transactional_tools_a_failed_call_leaves_nothing_but_its_log_and_guidance() -> None:
    world, run = played(clerk(), calls(call("fail", '{"path": "a"}')), say("Done."))

    assert run.slices.all(Door) == ()
    assert [remark.text for remark in run.slices.all(Remark)] == ["tried"]
    assert world.files == {}
    assert world.told() == ["There is no such page. List them first."]


@pytest.mark.parametrize("name", ["read_chapter", "read_material", "search_book"])
def test_provider_agnostic_a_tool_is_the_same_for_agents_of_the_house_and_for_outside_ones(name: str) -> None:
    inside, outside = catalogue.find("ink/editor").definition.tools[name], TOOLS[name]

    assert arguments_schema(inside.params) == arguments_schema(outside.params)
    assert inside.description == outside.description


# Module architecture.

BELOW = ("penwright.agents", "penwright.domain", "penwright.errors")
OUTSIDE = {"temporalio", "litellm", "mcp", "sqlalchemy", "httpx", "git"}


def test_module_architecture_the_library_knows_neither_roles_nor_adapters_nor_any_runtime() -> None:
    folder = Path(penwright.agents.__path__[0])
    found = {
        (file.name, name)
        for file in folder.rglob("*.py")
        for name in _imported(ast.parse(file.read_text(encoding="utf-8")))
        if name.split(".")[0] in OUTSIDE or (name.startswith("penwright.") and not name.startswith(BELOW))
    }

    assert found == set()


def _imported(tree: ast.AST) -> Sequence[str]:
    plainly = [name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names]
    return plainly + [
        node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module
    ]


# Core subsystems.


def test_prompt_system_the_same_sections_render_to_the_same_text_and_no_tool_is_there_twice() -> None:
    assert rendered().digest == rendered().digest != rendered(Holding((Locked(locked=True),))).digest
    assert rendered().text.startswith("## 1 ")
    with pytest.raises(BrokenDefinition) as broken:
        agent(section("beds", tools=(tool(),)), section("yard", tools=(tool(),)))
    assert "water" in broken.value.message


def test_session_state_rolls_state_back_keeps_logs_and_is_restored_from_a_snapshot() -> None:
    slices = registry(NOTES)
    state = applied(empty_state(slices), [Note(text="kept")])

    failed = applied_failed(state, [Note(text="lost"), Diary(line="it failed")])
    again = from_rest(at_rest(failed), slices)

    assert [note.text for note in again.all(Note)] == ["kept"]
    assert [entry.line for entry in again.all(Diary)] == ["it failed"]
    assert at_rest(again) == at_rest(failed)


def test_tool_runtime_arguments_are_typed_and_every_call_has_one_outcome() -> None:
    made = (READ, call("read_page", '{"path": 7}'), call("read_page", "{"), call("nowhere"), READ)

    world, run = played(clerk(), calls(*made), say("Done."))

    kinds = [kind for kind, _ in outcomes(run)]
    assert kinds == ["succeeded", "invalid-arguments", "invalid-arguments", "unknown-tool", "succeeded"]
    assert len(world.told()) == len(made)
    assert sum(world.attempts.values()) == 2


def test_guardrails_of_all_three_kinds_are_declared_on_the_definition() -> None:
    definition = clerk(
        policies=(SequentialDependency(needs={"write_page": ("read_page",)}),),
        feedback=(FixedText(name="calm", triggers=(EveryCalls(calls=2),), text="Take your time."),),
        completion=FilesExist(name="page", paths=("a.md",)),
    )

    world, run = played(
        definition, calls(WRITE), say("Done."), calls(READ), calls(WRITE), say("Done."), say("Done.")
    )

    assert outcomes(run)[0] == ("denied", "dependency-missing")
    assert "Take your time." in world.told()[1]
    assert any("a.md" in message.content for message in world.chain if message.role == "user")
    assert world.result().outcome == "completed"


def test_adapters_get_one_request_that_names_no_vendor() -> None:
    shown = rendered()
    turn = Turn(
        effect=Effect(op_id=OpId("run#1"), issued_at=NOON),
        role="agent",
        scope=BudgetScope(run="run", subject="garden"),
        system=shown.text,
        messages=(AgentMessage(role="user", content="Water the beds."),),
        offers=shown.offers,
    )

    request = turn_request(turn)

    assert [message.role for message in request.messages] == ["system", "user"]
    assert [offer.name for offer in request.tools] == [offer.name for offer in shown.offers]
    assert "model" not in type(request).model_fields


class Lamp:
    """Something that a tool needs."""


class Oil:
    """Something else."""


async def test_resource_registry_one_for_all_calls_one_for_each_call_and_one_for_each_access() -> None:
    closed: list[str] = []

    @contextmanager
    def burning(_: object) -> Any:  # Any: a context manager's own type
        yield Lamp()
        closed.append("lamp")

    bindings = (managed(Lamp, burning, scope="call"), plain(Oil, lambda _: Oil(), scope="prototype"))
    async with opened((*bindings, plain(World, lambda _: World(clerk(), [])))) as workshop:
        async with workshop.call() as first:
            assert first.get(Lamp) is first.get(Lamp)
            assert first.get(Oil) is not first.get(Oil)
            lamp, world = first.get(Lamp), first.get(World)
        assert closed == ["lamp"]
        async with workshop.call() as second:
            assert (second.get(Lamp) is lamp, second.get(World) is world) == (False, True)


def test_agent_loop_opens_what_is_asked_for_and_ends_with_a_typed_answer() -> None:
    cellar = Section(
        key="cellar",
        title="Cellar",
        body="Jars.",
        summary="A cellar.",
        visibility="summary",
        tools=(tool("store", effect="pure", handler=_stored),),
    )
    desk = Section(key="desk", title="Desk", body="Work.")
    definition = clerk(sections=(desk, cellar), output=Report)
    store = call("store", '{"bed": "A"}')

    world, run = played(
        definition,
        calls(store),
        calls(call("open_sections", '{"paths": ["cellar"]}')),
        calls(store),
        calls(call("final_answer", '{"words": 3}')),
    )

    assert [kind for kind, _ in outcomes(run)] == ["unavailable", "succeeded", "succeeded", "succeeded"]
    assert "Jars." in world.told()[1]
    assert world.result().output == {"words": 3, "title": ""}


def _stored(params: Any, state: StateView) -> ToolResult:  # Any: of whichever tool
    return Ok(text="stored")


# Data flow.


def test_data_flow_goes_from_the_request_through_calls_and_completion_to_the_result() -> None:
    world, _ = played(
        clerk(completion=AllOf(name="all", checkers=(FilesExist(name="f", paths=("a.md",)),))),
        calls(READ, WRITE),
        say("Done."),
    )

    kinds = [entry.type for entry in world.entries]
    assert kinds[0] == "run-prepared"
    assert kinds[-1] == "run-ended"
    assert [kind for kind in kinds if kind.startswith("call")] == ["call-started", "call-ended"] * 2
    assert kinds.index("model-answered") < kinds.index("call-started")
    assert [len(step.new) for step in world.asked] == [1, 2]


# Observability.


def test_observability_the_transcript_has_an_envelope_and_no_gap_over_continuing_as_new() -> None:
    world = World(clerk(), [calls(READ), calls(WRITE), say("Done.")], rest_after=2)
    world.play()

    assert world.segments > 1
    assert gaps(world.entries) == ()
    assert {entry.source for entry in world.entries} == {"main"}
    assert all(isinstance(entry.at, datetime) for entry in world.entries)


def test_transcripts_have_one_envelope_and_a_canonical_type_for_whatever_happens() -> None:
    refused, missing = call("write_page", "{"), call("nowhere")
    world, _ = played(clerk(), calls(READ, refused, missing), say("Done."), given=given_run(source="run-7"))

    told = [entry.model_dump(mode="json") for entry in world.entries]
    ended = [
        (entry["detail"]["tool"], entry["detail"]["kind"]) for entry in told if entry["type"] == "call-ended"
    ]
    assert {tuple(entry) for entry in told} == {("source", "sequence", "type", "at", "detail")}
    assert [entry["type"] for entry in told][:2] == ["run-prepared", "model-answered"]
    assert told[-1]["type"] == "run-ended"
    assert len(set(ended)) == len(ended) == 3
    assert {entry["source"] for entry in told} == {"run-7"}


def test_session_snapshots_are_taken_at_any_point_and_another_process_goes_on_from_them() -> None:
    lines = (calls(READ), calls(WRITE), say("Done."))
    whole, _ = played(clerk(), *lines)
    taken: list[str] = []

    def snapshot(run: Run, step: Any) -> Run:  # Any: whichever step
        kept = state_at_rest(run).model_dump_json()
        taken.append(kept)
        carried = run.given.model_copy(update={"state": AgentRunState.model_validate_json(kept)})
        return begin(run.definition, carried)

    restored = World(clerk(), [*lines], before=snapshot)
    restored.play()

    assert len(taken) > len(lines)
    assert restored.result() == whole.result()
    assert restored.entries == whole.entries


# Cross-cutting concerns.


def test_time_comes_from_outside_so_a_deadline_needs_no_waiting() -> None:
    late = given_run(limits=limits(deadline=NOON + timedelta(minutes=10), last_turn_s=60))
    world = World(clerk(), [*[calls(READ)] * 3, say("In time.")], tick=timedelta(minutes=2))

    world.play(late)

    assert world.result().outcome == "deadline"
    assert world.now < NOON + timedelta(minutes=30)


def test_serialization_keeps_unions_apart_by_their_kind_and_refuses_what_does_not_fit() -> None:
    plan = plan_of(Workspace(path="/b"), Create(path="a", content="x"), Delete(path="b", base="0" * 40))

    again = MutationPlan.model_validate_json(plan.model_dump_json())

    assert again == plan
    assert [type(each) for each in again.operations] == [Create, Delete]
    with pytest.raises(ValueError, match="kind"):
        MutationPlan.model_validate_json(plan.model_dump_json().replace('"create"', '"conjure"'))


class Certain(Policy):
    """A policy whose fault shows only when it is asked."""

    def check(self, call: Call, state: StateView) -> Verdict:
        raise ZeroDivisionError("no")


class Torn(SliceItem):
    """A slice whose reducer breaks its promise."""

    event_name: ClassVar[str] = "rows.torn"

    @classmethod
    def reducers(cls) -> Any:  # Any: as the base class has it
        return {cls: lambda state, event: "not an operation"}


def test_design_by_contract_a_promise_is_checked_when_declared_and_a_broken_one_is_named() -> None:
    with pytest.raises(BrokenDefinition) as declared:
        agent(section(body="It is $nobody.", params=Season))
    with pytest.raises(BrokenDefinition) as kept:
        applied(empty_state(registry([Torn])), [Torn()])

    assert "nobody" in declared.value.message
    assert "rows.torn" in kept.value.message


def test_filesystem_is_one_protocol_that_leads_nowhere_else() -> None:
    files = TreeFiles(MemoryTree({"a/b.md": b"one\ntwo\n"}, links={"out": "/etc/passwd"}))

    assert files.read_text("./a/../a/b.md", first=2).text == "two\n"
    assert files.glob("**/*.md").paths == ("a/b.md",)
    assert [hit.line for hit in files.grep("TWO").hits] == [2]
    with pytest.raises(Refused, match="not followed"):
        files.read("out")
    with pytest.raises(UsageMistake):
        files.read("../etc/passwd")


def test_skills_are_folders_that_come_and_go_with_their_section() -> None:
    open_shed = Holding((SectionOpened(path="shed"),))

    assert [each.name for each in rendered(open_shed).skills] == ["pruning"]
    assert rendered().skills == ()
    assert mounted([skill()])["pruning/SKILL.md"] == b"Cut above the bud."


# Evaluation and experimentation.


def test_evaluation_framework_scores_outputs_and_counts_crashes_as_failures() -> None:
    score = contains(observed("The grey dawn."), "dawn")
    night = report("night", ["s0", "s1", "s2", "s3"], results("passed", "failed", "crashed", "passed"))

    assert (score.value, night.pass_rate, night.crashed) == (1, 0.5, 1)


def test_experiments_pair_a_tag_with_flags_and_say_when_two_are_the_same() -> None:
    plain_one = pin(experiment("a", tag="t"), gardener(), "def", ResolvedOverrides())
    renamed = pin(experiment("b", tag="t"), gardener(), "def", ResolvedOverrides())
    other = pin(experiment("a", tag="t", model="m"), gardener(), "def", ResolvedOverrides())

    assert plain_one.digest == renamed.digest != other.digest


def test_prompt_overrides_replace_a_text_until_its_source_changes() -> None:
    target = descriptor(gardener())["yard", "body"]
    changed = Override(path="yard", field="body", expected=target.digest, text="Rake it.")
    stale = changed.model_copy(update={"expected": "0" * 64})
    a_set = OverrideSet(namespace="garden", key="keeper", tag="t", overrides=(changed,))

    fresh = resolve(gardener(), a_set)
    old = resolve(gardener(), a_set.model_copy(update={"overrides": (stale,)}))

    assert "Rake it." in rendered(overrides=texts_of(fresh)).text
    assert "Sweep it" in rendered(overrides=texts_of(old)).text
    assert [(one.path, one.field) for one in old.skipped] == [("yard", "body")]


# Key invariants: those that no row above shows.


def _layers() -> Sequence[str]:
    """Rooms, the uppermost first, as import-linter has them."""
    told = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))
    layers: Sequence[str] = told["tool"]["importlinter"]["contracts"][0]["layers"]
    return layers


def test_layer_discipline_nothing_imports_what_stands_above_it() -> None:
    rank = {room: number for number, line in enumerate(_layers()) for room in line.split(" | ")}
    rooms = {room: PROJECT / room.replace(".", "/") for room in rank}
    found = {
        (str(file.relative_to(PROJECT)), name)
        for room, place in rooms.items()
        for file in (sorted(place.rglob("*.py")) if place.is_dir() else [place.with_suffix(".py")])
        for name in re.findall(r"^ *(?:from|import) (\S+)", file.read_text("utf-8"), re.MULTILINE)
        if any(rank[above] < rank[room] and f"{name}.".startswith(f"{above}.") for above in rank)
    }

    assert found == set()


def test_pure_reducers_and_conditions_of_every_agent_of_the_house_ask_nothing_but_their_arguments() -> None:
    assert {name: findings(entry.definition) for name, entry in catalogue.AGENTS.items()} == dict.fromkeys(
        catalogue.AGENTS, ()
    )


def test_fail_closed_policies_that_cannot_tell_deny_and_say_so() -> None:
    world, run = played(clerk(policies=(Certain(name="certain"),)), calls(READ), say("Done."))

    assert outcomes(run) == [("denied", "policy-failed")]
    assert "certain" in world.told()[0]
    assert sum(world.attempts.values()) == 0


class Shy(Policy):
    """Never allows anything."""

    def check(self, call: Call, state: StateView) -> Verdict:
        return Deny(code="shy", reason="Not now.")


class Kind(Policy):
    """Always allows."""

    def check(self, call: Call, state: StateView) -> Verdict:
        return Allow()


def test_composable_policies_must_all_allow() -> None:
    _, run = played(clerk(policies=(Kind(name="kind"), Shy(name="shy"))), calls(READ), say("Done."))

    assert outcomes(run) == [("denied", "shy")]


def test_hash_validated_overrides_of_any_text_stop_applying_when_their_source_changed() -> None:
    targets = [target for target in descriptor(gardener()).values() if target.field in ("body", "summary")]
    ours = [Override(path=one.path, field=one.field, expected=one.digest, text="Rake it.") for one in targets]
    theirs = [one.model_copy(update={"expected": "0" * 64}) for one in ours]
    kept = OverrideSet(namespace="garden", key="keeper", tag="t", overrides=tuple(ours))

    fresh = resolve(gardener(), kept)
    stale = resolve(gardener(), kept.model_copy(update={"overrides": tuple(theirs)}))

    assert (len(fresh.texts), fresh.skipped) == (len(targets), ())
    assert (stale.texts, len(stale.skipped)) == ((), len(targets))
    assert {(one.expected, one.found) for one in stale.skipped} == {("0" * 64, one.digest) for one in targets}


def test_typed_prompts_fail_where_they_are_declared_and_not_when_a_model_is_asked() -> None:
    with pytest.raises(BrokenDefinition) as broken:
        agent(section("beds", children=(section("rows", body="$wrong", params=Season),)))

    assert broken.value.code
    assert "beds/rows" in broken.value.message


def test_no_global_mutable_state_two_runs_of_one_definition_know_nothing_of_each_other() -> None:
    definition = clerk()
    _, first = played(definition, calls(call("shut", '{"path": "a"}')), say("Done."))
    other, second = played(definition, calls(call("fetch", '{"path": "a"}')), say("Done."))

    assert first.slices.latest(Door) == Door(open=False)
    assert second.slices.latest(Door) is None
    assert outcomes(second) == [("succeeded", "")]
    assert other.told() == ["page a: missing"]
