"""What a run waits for, as the development server tells it."""

import asyncio
import re
from datetime import timedelta
from uuid import uuid4

import pytest
from temporalio import activity, workflow
from temporalio.common import RetryPolicy
from temporalio.testing import WorkflowEnvironment
from temporalio.worker import UnsandboxedWorkflowRunner, Worker

from gateway.desk.engine.pipelines import StepUnderWay
from gateway.desk.engine.temporal.executions import described
from gateway.desk.engine.temporal.steps_under_way import arriving, retried, steps_under_way
from penwright.errors import NotFound
from schemas.base import Progress
from schemas.queue_time import PermitWait

ASKING = Progress(pipeline="scene", subject="harbour", stage="direct", detail="Asking the director")


@activity.defn
async def ask_the_model() -> None:
    raise ConnectionError("the vendor did not answer")


@activity.defn
async def ask_a_slow_model() -> None:
    activity.heartbeat(PermitWait(waited_s=0, waits=False, tokens=340))
    await asyncio.sleep(60)


@workflow.defn
class Listens:
    @workflow.run
    async def run(self) -> None:
        await workflow.execute_activity(
            ask_a_slow_model,
            start_to_close_timeout=timedelta(minutes=1),
            heartbeat_timeout=timedelta(seconds=20),
        )


@workflow.defn
class Waits:
    @workflow.run
    async def run(self) -> None:
        policy = RetryPolicy(initial_interval=timedelta(milliseconds=1), backoff_coefficient=50)
        await workflow.execute_activity(
            ask_the_model, start_to_close_timeout=timedelta(minutes=1), retry_policy=policy
        )


async def test_retries_are_told_with_what_failed(temporal_env: WorkflowEnvironment) -> None:
    client, id = temporal_env.client, uuid4().hex
    worker = Worker(
        client,
        task_queue=id,
        workflows=[Waits],
        activities=[ask_the_model],
        workflow_runner=UnsandboxedWorkflowRunner(),
    )
    async with worker:
        handle = await client.start_workflow(Waits.run, id=id, task_queue=id)
        step = await _once_retried(temporal_env, id)
        told = retried(ASKING, await described(client, id))
        await handle.terminate()

    assert step.name == "ask_the_model"
    assert step.trouble == "the vendor did not answer"
    assert told.code == "ConnectionError"
    assert re.fullmatch(
        r"Asking the director; attempt \d failed \(the vendor did not answer\), "
        r"attempt \d (begins at \d\d:\d\d:\d\d UTC|is under way)",
        told.detail,
    )
    assert await steps_under_way(client, id) == ()


async def test_tokens_of_an_answer_that_comes_slowly_are_told(temporal_env: WorkflowEnvironment) -> None:
    client, id = temporal_env.client, uuid4().hex
    worker = Worker(
        client,
        task_queue=id,
        workflows=[Listens],
        activities=[ask_a_slow_model],
        workflow_runner=UnsandboxedWorkflowRunner(),
    )
    async with worker, asyncio.timeout(60):
        handle = await client.start_workflow(Listens.run, id=id, task_queue=id)
        told = ASKING
        while not told.tokens:
            told = await arriving(ASKING, await described(client, id), client.data_converter)
            await asyncio.sleep(0.05)
        await handle.terminate()

    assert told.detail == "Asking the director; 340 tokens so far"
    assert told.step == "Asking the director"


async def test_a_run_that_the_engine_does_not_know_is_named(temporal_env: WorkflowEnvironment) -> None:
    with pytest.raises(NotFound):
        await steps_under_way(temporal_env.client, "book/never")


async def _once_retried(env: WorkflowEnvironment, id: str) -> StepUnderWay:
    async with asyncio.timeout(60):
        while True:
            steps = await steps_under_way(env.client, id)
            if steps and steps[0].attempt > 2 and steps[0].trouble:
                return steps[0]
            await asyncio.sleep(0.05)
