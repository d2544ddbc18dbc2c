"""A start that no workflow can take ends by name; what a workflow of ours starts is tried again."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from datetime import timedelta
from uuid import uuid4

import pytest
from temporalio import workflow
from temporalio.client import Client, WorkflowFailureError, WorkflowUpdateFailedError
from temporalio.testing import WorkflowEnvironment
from temporalio.worker import Worker

from gateway.desk.engine.temporal.failing_tasks import why_stuck
from gateway.desk.engine.temporal.pipelines import TemporalPipelines
from penwright.errors import UsageMistake
from schemas.base import BookId
from schemas.control import KillRequest
from tests.support.each import for_each
from tests.support.workflows.ordered import Ordered
from workers.failures import as_error
from workers.temporal_plugin import STRICT_PLUGIN
from workflows.book_session import BookSession
from workflows.unknown import UnknownWorkflow

pytestmark = pytest.mark.server


@workflow.defn
class Starting:
    """Starts a child of a type and with an input."""

    @workflow.run
    async def run(self, kind: str) -> None:
        child = f"{workflow.info().workflow_id}/child"
        await workflow.execute_child_workflow(kind, {"waits": "perhaps"}, id=child)


@pytest.fixture
async def client(temporal_env: WorkflowEnvironment) -> Client:
    client = temporal_env.client
    target = client.service_client.config.target_host
    return await Client.connect(target, namespace=client.namespace, plugins=[STRICT_PLUGIN])


@pytest.fixture
async def queue(client: Client) -> AsyncIterator[str]:
    """A queue with a worker."""
    name = uuid4().hex
    kinds = [Ordered, Starting, BookSession, UnknownWorkflow]
    async with Worker(client, task_queue=name, workflows=kinds):
        yield name


@for_each(
    "kind, given, code, said",
    [
        ("Ordered", [{"waits": "perhaps"}], "input-unreadable", "waits: "),
        ("Ordered", [], "input-unreadable", "takes 1 values and got 0"),
        ("Ordered", [{}, {}], "input-unreadable", "takes 1 values and got 2"),
        ("BookSession", [{}], "input-unreadable", "session: Field required"),
        ("Nothing", [{}], "workflow-unknown", "no workflow 'Nothing'"),
    ],
)
async def test_a_start_that_no_workflow_can_take_fails_by_name(
    client: Client, queue: str, kind: str, given: Sequence[object], code: str, said: str
) -> None:
    with pytest.raises(WorkflowFailureError) as failure:
        await client.execute_workflow(
            kind,
            args=given,
            id=f"unfit/{uuid4().hex[:8]}",
            task_queue=queue,
            execution_timeout=timedelta(seconds=15),
        )

    told = as_error(failure.value)
    assert isinstance(told, UsageMistake), failure.value.cause
    assert (told.code, said in told.message) == (code, True), told.message
    assert "perhaps" not in told.message


@pytest.mark.parametrize("kind", ["Ordered", "Nothing"])
async def test_what_a_workflow_starts_is_tried_again(client: Client, queue: str, kind: str) -> None:
    """Its input may be one of the next release, whose worker is on its way."""
    name = f"starting/{uuid4().hex[:8]}"
    handle = await client.start_workflow("Starting", kind, id=name, task_queue=queue)
    why = await _stuck(client, f"{name}/child", queue)
    await handle.terminate()

    assert why.startswith("its task fails again and again: ")
    assert f"`temporal workflow terminate --workflow-id {name}/child --address " in why


async def _stuck(client: Client, name: str, queue: str) -> str:
    for _ in range(200):
        if why := await why_stuck(client, name, queue):
            return why
        await asyncio.sleep(0.1)
    return ""


async def test_a_run_on_a_queue_without_a_worker_is_named_by_kill_and_by_the_list(
    client: Client, queue: str
) -> None:
    book = BookId(f"b-{uuid4().hex[:8]}")
    elsewhere = await client.start_workflow("BookSession", {}, id=f"book/{book}", task_queue=f"{queue}-none")
    pipelines = TemporalPipelines(client, queue)

    answer = await pipelines.signal(book, KillRequest(reason="a test"))
    listed = await pipelines.running()
    for _ in range(200):
        if book in listed:
            break
        await asyncio.sleep(0.1)  # what is listed comes a moment later
        listed = await pipelines.running()
    await elsewhere.terminate()

    assert (answer.found, answer.heard) == ("session", False)
    assert f"task queue '{queue}-none', which no worker here serves" in answer.stuck
    assert f"`temporal workflow terminate --workflow-id book/{book} --address " in answer.stuck
    assert (listed[book].stage, listed[book].detail) == ("stuck", answer.stuck)


@for_each(
    "given, said",
    [
        ([{"words": ["perhaps"]}], "words: "),
        ([], "does not take 0 values"),
        ([{}, {}], "does not take 2 values"),
    ],
)
async def test_an_update_that_no_handler_can_take_is_refused_by_name(
    client: Client, queue: str, given: Sequence[object], said: str
) -> None:
    handle = await client.start_workflow("Ordered", {}, id=f"told/{uuid4().hex[:8]}", task_queue=queue)
    with pytest.raises(WorkflowUpdateFailedError) as failure:
        await handle.execute_update("say", args=given, rpc_timeout=timedelta(seconds=15))
    await handle.execute_update("say", {"words": "after"})
    await handle.signal("end")

    told = as_error(failure.value)
    assert isinstance(told, UsageMistake), failure.value.cause
    assert (told.code, said in told.message) == ("input-unreadable", True), told.message
    assert "perhaps" not in str(failure.value.cause)
    assert await handle.result() == "after"


@pytest.mark.parametrize(
    ("signal", "given"), [("tell", []), ("tell", [{}, {}]), ("end", [{}]), ("tell", [{"words": ["perhaps"]}])]
)
async def test_a_signal_that_no_handler_can_take_is_dropped(
    client: Client, queue: str, signal: str, given: Sequence[object]
) -> None:
    handle = await client.start_workflow(
        "Ordered",
        {},
        id=f"told/{uuid4().hex[:8]}",
        task_queue=queue,
        execution_timeout=timedelta(seconds=15),
    )
    await handle.signal(signal, args=given)
    await handle.signal("tell", {"words": "after"})
    await handle.signal("end")

    assert await handle.result() == "after"


async def test_a_healthy_run_is_not_stuck(client: Client, queue: str) -> None:
    handle = await client.start_workflow("Ordered", {}, id=f"healthy/{uuid4().hex[:8]}", task_queue=queue)
    told = await handle.query("told")
    why = await why_stuck(client, handle.id, queue)
    await handle.signal("end")
    await handle.result()

    assert (told, why) == ([], "")
