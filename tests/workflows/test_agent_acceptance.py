"""Acceptance cases of the agent layer that need a running workflow: A4, A9, A10, A14, A21."""

import asyncio
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from temporalio.client import WorkflowFailureError
from temporalio.testing import WorkflowEnvironment
from temporalio.worker import Worker

from activities.agents.transcripts import run_of
from penwright.adapters.models.router import ModelRouter
from penwright.adapters.models.scripted import Fault, ScriptedAnswer
from penwright.agents.definition.agent import AgentDefinition, Section
from penwright.agents.guardrails.guardrail import Completion, WorldChecker
from penwright.agents.prompt.overridable import descriptor
from penwright.agents.state import Event, Op, Reducer, Replace, SliceItem, StateView
from penwright.agents.tools.resources import Resources
from penwright.agents.tools.tool import Arguments, Ok, Tool, ToolContext, ToolExample, ToolResult
from penwright.errors import PassingError
from penwright.ports.models import LanguageModel
from penwright.roles import catalogue
from schemas.agent_run import AgentRunResult
from schemas.model import BudgetScope, ModelRequest, ModelResponse
from schemas.overrides import Override, OverrideSet
from tests.support.agents.scripted_model import scripted_catalog
from tests.support.workflows.librarian import READ, WRITE, Library, Page, Shelf, calls, library, says
from workers.temporal_plugin import WORKFLOWS

LOOKS_UP = calls(("look_up", {"path": "a"}))


class Rung(Event):
    """Somebody rang."""

    event_name = "tests.acceptance.rung"

    by: str


class Visits(SliceItem):
    """Who came; takes every ring."""

    event_name = "tests.acceptance.visits"

    by: str

    @classmethod
    def reducers(cls) -> Mapping[type[Event], Reducer]:
        return {Rung: lambda state, event: Replace((cls(by=event.by),))}


MISTAKES: list[str] = []
"""Faults of the code below, once each; a test fixes them before the next try."""


def count(state: StateView, event: Rung) -> "Op[Bells]":
    if MISTAKES:
        raise ZeroDivisionError(MISTAKES.pop())
    return Replace((Bells(rung=1),))


class Bells(SliceItem):
    """How often it rang."""

    event_name = "tests.acceptance.bells"

    rung: int

    @classmethod
    def reducers(cls) -> Mapping[type[Event], Reducer]:
        return {Rung: count}


async def _ring(params: Page, context: ToolContext) -> ToolResult:
    return Ok(text="It rings.", events=(Rung(by=params.path),))


class Entry(Arguments):
    path: str
    """Which entry."""


async def _look_up(params: Entry, context: ToolContext) -> ToolResult:
    return Ok(text=f"nothing under {params.path}")


LOOK_UP = Tool(
    name="look_up",
    description="Look it up.",
    params=Entry,
    effect="read",
    handler=_look_up,
    examples=(ToolExample(description="A dry day.", params=Entry(path="drought")),),
)
RING = Tool(
    name="ring",
    description="Ring.",
    params=Page,
    effect="external",
    handler=_ring,
    events=(Rung,),
    approval=False,
)
WARDEN = AgentDefinition(
    namespace="test",
    key="warden",
    title="A warden",
    sections=(
        Section(key="desk", title="Desk", body="Keep the desk.", tools=(LOOK_UP,)),
        Section(
            key="annex",
            title="Annex",
            body="All about bells.",
            summary="Bells.",
            visibility="summary",
            tools=(RING,),
        ),
    ),
    slices=(Visits, Bells),
)
FAULTS: list[Exception] = []
"""What the next attempts to post raise."""
POSTED: list[str] = []


async def _post(params: Page, context: ToolContext) -> ToolResult:
    POSTED.append(params.path)
    if FAULTS:
        raise FAULTS.pop()
    return Ok(text="It is on its way.")


POST = Tool(
    name="post", description="Post it.", params=Page, effect="external", handler=_post, approval=False
)
POSTMAN = AgentDefinition(
    namespace="test",
    key="postman",
    title="A postman",
    sections=(Section(key="round", title="Round", body="Post.", tools=(POST,)),),
)


class OnShelf(WorldChecker):
    name: str = "on-shelf"

    async def look(self, output: object, state: StateView, world: Resources) -> Completion:
        there = "a" in world.get(Shelf).pages
        return Completion(complete=there, reason="" if there else "Page a is missing.")


PRINTER = AgentDefinition(
    namespace="test",
    key="printer",
    title="A printer",
    sections=(Section(key="press", title="Press", body="Print.", tools=(WRITE,)),),
    completion=OnShelf(),
)
PORTER = AgentDefinition(
    namespace="test",
    key="porter",
    title="A porter",
    sections=(Section(key="door", title="Door", body="Ring.", tools=(RING, READ)),),
    slices=(Visits, Bells),
)
catalogue.register_agents(*map(catalogue.Entry, (WARDEN, PORTER, POSTMAN, PRINTER)))


class Listening:
    """A model that keeps its requests."""

    def __init__(self, model: LanguageModel) -> None:
        self._model = model
        self.asked: list[ModelRequest] = []

    async def complete(self, request: ModelRequest) -> ModelResponse:
        self.asked.append(request)
        return await self._model.complete(request)


# Any: fields of the input.
async def overheard(here: Library, **changes: Any) -> tuple[AgentRunResult, list[ModelRequest]]:
    """A run of the library's script, and the requests sent to the provider."""
    model = Listening(ModelRouter(scripted_catalog(here.script), ledger=here.store.ledger))
    activities = here.activities(model)
    async with Worker(here.client, task_queue=here.queue, workflows=WORKFLOWS, activities=activities):
        return await here.run(here.given(**changes)), model.asked


async def test_a4_opening_a_section_counts_once_and_keeps_earlier_messages(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    opens = calls(("open_sections", {"paths": ["annex"]}))
    async with library(temporal_env.client, tmp_path, LOOKS_UP, opens, says("Done.")) as here:
        pass
    result, asked = await overheard(here, agent="test/warden")

    offered = [{tool.name for tool in request.tools} for request in asked]
    told = [[message.model_dump_json() for message in request.messages] for request in asked]
    assert [len(each) for each in told] == [len(told[0]), len(told[0]) + 2, len(told[0]) + 4]
    assert told[2][: len(told[1])] == told[1]
    assert told[1][: len(told[0])] == told[0]
    assert "All about bells." in told[2][-1]
    assert ["ring" in names for names in offered] == [False, False, True]
    assert (result.tool_calls, result.spent.model_calls) == (2, 3)


async def test_a9_every_overridden_text_is_in_the_provider_request(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    opens = calls(("open_sections", {"paths": ["annex"]}))
    targets = descriptor(WARDEN).values()
    written = {(each.path, each.field): f"Changed {each.path} {each.field}." for each in targets}
    example = '{"description": "A wet day.", "params": {"path": "rain"}}'
    texts = {at: example if at[1] == "example" else text for at, text in written.items()}
    overrides = tuple(
        Override(path=each.path, field=each.field, expected=each.digest, text=texts[each.path, each.field])
        for each in targets
    )
    stale = overrides[0].model_copy(update={"expected": "0" * 64})
    async with library(temporal_env.client, tmp_path, opens, says("Done."), says("Too.")) as here:
        here.overrides.keep(OverrideSet(namespace="test", key="warden", tag="bold", overrides=overrides))
        old = OverrideSet(namespace="test", key="warden", tag="old", overrides=(stale, *overrides[1:]))
        here.overrides.keep(old)
    result, asked = await overheard(here, agent="test/warden", override_tag="bold")
    later, _ = await overheard(here, agent="test/warden", override_tag="old", run_id=f"{here.queue}-old")

    closed, opened = (request.model_dump_json() for request in asked)
    wanted = {"A wet day." if at[1] == "example" else written[at] for at in written}
    assert {text for text in wanted if text not in opened} == set()
    assert written["annex", "body"] not in closed
    assert written["annex", "summary"] in closed
    assert result.skipped_overrides == ()
    assert [(skip.path, skip.field) for skip in later.skipped_overrides] == [(stale.path, stale.field)]


async def test_a10_a_run_continues_after_its_raising_reducer_is_fixed(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    MISTAKES.append("no such bell")
    rings = calls(("ring", {"path": "ada"}))
    async with library(temporal_env.client, tmp_path, rings, says("Done.")) as here:
        handle = await here.start(here.given(agent="test/porter"))
        result = await handle.result()
        history = await handle.fetch_history()

    failed = [
        event.workflow_task_failed_event_attributes.failure.message
        for event in history.events
        if event.HasField("workflow_task_failed_event_attributes")
    ]
    assert (MISTAKES, result.outcome) == ([], "completed")
    assert len(failed) == 1
    assert "reducer-failed" in failed[0]
    assert "'count'" in failed[0]
    assert {kept.name: len(kept.items) for kept in result.state.slices if "acceptance" in kept.name} == {
        "tests.acceptance.bells": 1,
        "tests.acceptance.visits": 1,
    }


async def test_a14_only_passing_errors_are_retried(temporal_env: WorkflowEnvironment, tmp_path: Path) -> None:
    answers = (calls(("read_page", {"path": "nowhere"})), calls(("read_page", {"path": "a"})), says("Done."))
    attempts: list[str] = []
    async with library(temporal_env.client, tmp_path, *answers, pages={"a": "old"}) as here:
        here.shelf.when_read = attempts.append
        here.shelf.faults["a"] = 2
        result = await here.run()

    assert attempts == ["nowhere", "a", "a", "a"]
    assert result.tool_calls == 2


@pytest.mark.parametrize(
    ("error", "attempts", "code"),
    [
        (ValueError("no such postbox"), 1, "tool-failed"),
        (PassingError("postbox-full", "try again"), 2, ""),
    ],
)
async def test_an_external_tool_is_attempted_again_only_after_a_passing_error(
    temporal_env: WorkflowEnvironment, tmp_path: Path, error: Exception, attempts: int, code: str
) -> None:
    POSTED.clear()
    FAULTS.append(error)
    async with library(temporal_env.client, tmp_path, calls(("post", {"path": "a"})), says("Done.")) as here:
        result = await here.run(here.given(agent="test/postman"))
        (ended,) = [event for event in here.transcript() if event.kind == "call-ended"]

    assert (result.outcome, POSTED) == ("completed", ["a"] * attempts)
    assert ended.data.get("code", "") == code


async def test_a_checker_looks_at_the_world_before_an_agent_may_stop(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    answers = (says("Done."), calls(("write_page", {"path": "a", "text": "new"})), says("Now it is."))
    async with library(temporal_env.client, tmp_path, *answers) as here:
        result = await here.run(here.given(agent="test/printer"))
        assert result.head is not None
        heard = [each.content for each in here.store.messages.messages(result.head) if each.role == "user"]

    assert (result.outcome, result.output) == ("completed", "Now it is.")
    assert heard[1:] == ["Page a is missing."]


async def test_failed_attempts_of_a_turn_cost_what_the_ledger_counts_for_them(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    """Nothing for one that a vendor declined; what it may have used for one without an answer."""
    faults: tuple[Fault | None, ...] = (None, "rate-limit", "unavailable")

    async def spent_with(fault: Fault | None) -> tuple[int, int, int]:
        answer = ScriptedAnswer(fault=fault, times=2, text="Done.")
        folder = tmp_path / str(fault)
        folder.mkdir()
        async with library(temporal_env.client, folder, answer) as here:
            run = await here.run()
            scope = BudgetScope(run=run_of(run.run_id), subject="shelf")
            ledger = here.store.ledger.spending(scope, day=datetime.now(UTC))["run"]
        tokens = (run.spent.input_tokens, run.spent.output_tokens)
        assert tokens == (ledger.input_tokens, ledger.output_tokens)
        return run.spent.model_calls, *tokens

    spent = await asyncio.gather(*map(spent_with, faults))

    assert [each[0] for each in spent] == [1, 3, 3]
    assert spent[0][1:] == spent[1][1:]
    assert spent[0][1] < spent[2][1]


async def test_a21_a_poison_request_fails_and_succeeds_once_fixed(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    refuses = ScriptedAnswer(fault="refusal", text="Done.")
    async with library(temporal_env.client, tmp_path, refuses, says("Done.")) as here:
        poisoned = await here.start()
        with pytest.raises(WorkflowFailureError):
            await poisoned.result()
        row = here.store.records.run(poisoned.id)
        again = await here.run(here.given(run_id=f"{here.queue}-again"))
        listed = here.client.get_workflow_handle(poisoned.id)
        status = (await listed.describe()).status

    assert row is not None
    assert (row.outcome, row.detail["code"]) == ("failed", "model-refused")
    assert status is not None
    assert status.name == "FAILED"
    assert (again.outcome, again.output) == ("completed", "Done.")
