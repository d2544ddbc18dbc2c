"""With too little disk nothing is begun that would only wait, and what waits says so."""

import asyncio
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import pytest
from temporalio import activity, workflow
from temporalio.client import Client
from temporalio.exceptions import ApplicationError
from temporalio.testing import WorkflowEnvironment
from temporalio.worker import UnsandboxedWorkflowRunner, Worker

from gateway.desk.engine.temporal.executions import described
from gateway.desk.engine.temporal.free_space import SESSIONS, RequireFreeSpace, with_disk_wait
from gateway.desk.engine.temporal.pipelines import TemporalPipelines
from penwright.errors import PassingError
from schemas.base import Progress
from tests.support.books.sessions import given
from workers.settings import load
from workers.temporal_plugin import WORKFLOWS

pytestmark = pytest.mark.server


def client_of(env: WorkflowEnvironment, home: Path, **environ: str) -> Client:
    """A client of a machine that never has space enough."""
    environ |= {"PENWRIGHT_ENGINE__LEAST_FREE_MB": "1000000000000", "PENWRIGHT_CONFIG": ""}
    settings = load({"PENWRIGHT_HOME": str(home), **environ}).settings
    config = env.client.config()
    config["interceptors"] = [RequireFreeSpace(settings)]
    return Client(**config)


async def test_a_session_is_refused_by_name_before_it_is_started(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    pipelines = TemporalPipelines(client_of(temporal_env, tmp_path), uuid4().hex)
    session = given(book_id=uuid4().hex)

    for begin in (pipelines.start, pipelines.open):
        with pytest.raises(PassingError) as refused:
            await begin(session)
        assert refused.value.code == "disk-low"
        assert "engine.least_free_mb" in refused.value.details["hint"]
    assert await pipelines.progress(session.book_id) is None


async def test_an_engine_elsewhere_judges_its_own_disk(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    client = client_of(temporal_env, tmp_path, TEMPORAL_ADDRESS="elsewhere:7233")
    id = uuid4().hex

    handle = await client.start_workflow("BookSession", id=id, task_queue=id)
    await handle.terminate()


def test_the_workflows_that_need_space_are_ours() -> None:
    assert {each.__name__ for each in WORKFLOWS} >= SESSIONS


@activity.defn
async def open_session() -> None:
    raise ApplicationError("7 MB are free", type="disk-low")


@workflow.defn
class Waits:
    @workflow.run
    async def run(self) -> None:
        await workflow.execute_activity(open_session, start_to_close_timeout=timedelta(minutes=1))


async def test_a_session_that_waits_for_space_says_so(temporal_env: WorkflowEnvironment) -> None:
    client, id = temporal_env.client, uuid4().hex
    opening = Progress(pipeline="book", subject="tide", stage="open", detail="Opening tide")
    worker = Worker(
        client,
        task_queue=id,
        workflows=[Waits],
        activities=[open_session],
        workflow_runner=UnsandboxedWorkflowRunner(),
    )
    async with worker, asyncio.timeout(60):
        handle = await client.start_workflow(Waits.run, id=id, task_queue=id)
        said = opening
        while said == opening:
            await asyncio.sleep(0.05)
            said = with_disk_wait(opening, await described(client, id))
        await handle.terminate()

    assert (said.stage, said.code) == ("stuck", "disk-low")
    assert said.detail.startswith("Waits for free space")
