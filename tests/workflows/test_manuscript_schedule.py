"""What a manuscript's schedule starts: one run of the loop under the document's own id."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from temporalio.client import WorkflowFailureError
from temporalio.testing import WorkflowEnvironment

from penwright.errors import ModelFinal
from schemas.manuscript import ManuscriptInput, ManuscriptResult
from tests.support.manuscripts.studio import Studio, studio
from workflows.manuscript_schedule import ScheduledManuscript


@pytest.fixture
async def here(temporal_env: WorkflowEnvironment, tmp_path: Path) -> AsyncIterator[Studio]:
    async with studio(temporal_env.client, tmp_path) as opened:
        yield opened


async def scheduled(here: Studio, given: ManuscriptInput) -> ManuscriptResult:
    """One run of the schedule."""
    async with asyncio.timeout(60):
        return await here.client.execute_workflow(
            ScheduledManuscript.run,
            given,
            id=f"manuscript-schedule/{given.document}",
            task_queue=here.queue,
        )


async def test_a_scheduled_run_is_a_run_of_its_own_under_the_documents_id(here: Studio) -> None:
    given = here.given()

    ended = await scheduled(here, given)

    assert (ended.outcome, ended.novel) == ("finished", given.novel)
    assert ended.session != given.session
    told = await here.client.get_workflow_handle(f"manuscript/{given.document}").describe()
    assert told.status is not None
    assert told.status.name == "COMPLETED"


async def test_a_scheduled_run_leaves_one_that_goes_on_alone(here: Studio) -> None:
    gate = here.cast.gates["formatter"] = asyncio.Event()
    running = await here.start()
    await here.cast.reached["formatter"].wait()

    met = await scheduled(here, here.given("Something else."))
    gate.set()
    ended = await running.result()

    assert (met.outcome, met.code) == ("refused", "already-running")
    assert ended.outcome == "finished"
    assert here.row.instructions == "Write about tides."


async def test_a_scheduled_run_fails_with_its_loop_so_that_the_schedule_may_pause(here: Studio) -> None:
    here.cast.scripts["formatter"] = iter([ModelFinal("model-gone", "there is no such model")] * 9)

    with pytest.raises(WorkflowFailureError):
        await scheduled(here, here.given())
