"""How a run outlives the processes that work for it."""

import asyncio
from pathlib import Path

from temporalio.testing import WorkflowEnvironment
from temporalio.worker import Worker

from penwright.adapters.models.router import ModelRouter
from penwright.adapters.models.scripted import ScriptedAnswer
from penwright.agents.definition.agent import AgentDefinition, Section
from penwright.agents.tools.tool import Ok, Tool, ToolContext, ToolResult
from penwright.roles import catalogue
from schemas.agent_run import AgentRunResult
from tests.support.agents.scripted_model import scripted_catalog
from tests.support.workflows.librarian import Library, Page, calls, library, says
from workers.temporal_plugin import WORKFLOWS

RINGS: list[str] = []


async def _ring(params: Page, context: ToolContext) -> ToolResult:
    RINGS.append(params.path)
    await asyncio.Event().wait()
    return Ok()


RING = Tool(
    name="ring_for_ever", description="Ring.", params=Page, effect="external", handler=_ring, approval=False
)
BELLRINGER = AgentDefinition(
    namespace="test",
    key="bellringer",
    title="A bellringer",
    sections=(Section(key="tower", title="Tower", body="Ring.", tools=(RING,)),),
)
catalogue.register_agents(catalogue.Entry(BELLRINGER))


async def test_graceful_shutdown_hands_back_work_and_another_worker_finishes_it(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    write = calls(("write_page", {"path": "b", "text": "new"}))
    hanging = ScriptedAnswer(fault="hang", times=1, text="Done.")
    async with library(temporal_env.client, tmp_path, write, hanging) as here:
        handle = await here.start()
        await here.until_asked(2)

    result = await _finished(here, handle.id)

    assert (result.outcome, result.output) == ("completed", "Done.")
    assert (len(here.shelf.done), here.shelf.pages) == (1, {"b": "new"})


async def test_an_external_call_that_a_stopping_worker_cut_off_is_not_made_again(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    RINGS.clear()
    rings = calls(("ring_for_ever", {"path": "a"}))
    async with library(temporal_env.client, tmp_path, rings, says("Gone on.")) as here:
        handle = await here.start(here.given(agent="test/bellringer"))
        async with asyncio.timeout(30):
            while not RINGS:  # noqa: ASYNC110  # set by the handler in this loop
                await asyncio.sleep(0.02)

    result = await _finished(here, handle.id)

    (ended,) = [event.data for event in here.transcript() if event.kind == "call-ended"]
    assert (ended["kind"], ended["code"]) == ("exhausted", "call-interrupted")
    assert (result.outcome, RINGS) == ("completed", ["a"])


async def test_mailbox_a_request_waits_until_a_worker_runs(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    async with library(temporal_env.client, tmp_path, says("Taken.")) as here:
        pass
    handle = await here.start()

    result = await _finished(here, handle.id)

    assert (result.outcome, result.output) == ("completed", "Taken.")


async def test_event_system_sends_missed_events_once_to_a_returning_reader(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    answers = (calls(("write_page", {"path": "b", "text": "new"})), says("Done."))
    async with library(temporal_env.client, tmp_path, *answers) as here:
        handle = await here.start()
        await here.until_asked(2)
        first = here.transcript()
        await handle.result()

    later = here.store.records.events_after(first[-1].cursor, run=handle.id)
    told = [event.kind for event in (*first, *later)]
    assert first
    assert told == [event.kind for event in here.transcript()]
    assert (told[0], told[-1]) == ("run-prepared", "run-ended")
    assert told.count("call-ended") == 1


async def _finished(here: Library, workflow_id: str) -> AgentRunResult:
    """The result of a run, once another worker has taken over."""
    model = ModelRouter(scripted_catalog(here.script), ledger=here.store.ledger)
    made = here.activities(model)
    async with Worker(here.client, task_queue=here.queue, workflows=WORKFLOWS, activities=made):
        handle = here.client.get_workflow_handle(workflow_id, result_type=AgentRunResult)
        result: AgentRunResult = await handle.result()
        return result
