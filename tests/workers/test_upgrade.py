"""Two builds on one Temporal: a run that is pinned to the old one ends across the upgrade."""

import asyncio
from datetime import timedelta
from uuid import uuid4

import pytest
from temporalio import activity, workflow
from temporalio.api.workflowservice.v1 import SetWorkerDeploymentCurrentVersionRequest
from temporalio.client import Client
from temporalio.common import WorkflowIDConflictPolicy
from temporalio.service import RPCError
from temporalio.testing import WorkflowEnvironment
from temporalio.worker import Worker

from workers.settings import WorkerSettings
from workers.worker import worker_of

pytestmark = pytest.mark.server


@activity.defn
async def copy_out(build: str) -> str:
    return build


@workflow.defn(sandboxed=False)
class Copying:
    """Waits for a word, then asks its host."""

    def __init__(self) -> None:
        self._told = False

    @workflow.run
    async def run(self, host_queue: str) -> str:
        await workflow.wait_condition(lambda: self._told)
        return await workflow.execute_activity(
            copy_out,
            "copied",
            task_queue=host_queue,
            start_to_close_timeout=timedelta(seconds=5),
            schedule_to_start_timeout=timedelta(seconds=15),
        )

    @workflow.signal
    def tell(self) -> None:
        self._told = True


def options_of(deployment: str, number: str) -> WorkerSettings:
    return WorkerSettings(build_id=number, deployment=deployment, queue=f"{deployment}-main", grace_s=0)


def flows_of(client: Client, options: WorkerSettings) -> Worker:
    return worker_of(client, options, options.queue, (), 1, workflows=[Copying])


def host_of(client: Client, options: WorkerSettings, queue: str) -> Worker:
    """The worker of one build for the activities of a host; a host has one at a time."""
    return worker_of(client, options, queue, [copy_out], 2)


async def make_current(client: Client, deployment: str, number: str) -> None:
    """Make a build current; the server knows it only after its first poll."""
    request = SetWorkerDeploymentCurrentVersionRequest(
        namespace=client.namespace,
        deployment_name=deployment,
        build_id=number,
        ignore_missing_task_queues=True,
    )
    async with asyncio.timeout(30):
        while True:
            try:
                await client.workflow_service.set_worker_deployment_current_version(request)
                return
            except RPCError:
                await asyncio.sleep(0.2)


async def test_a_run_pinned_to_one_build_ends_across_an_upgrade(temporal_env: WorkflowEnvironment) -> None:
    client, name = temporal_env.client, f"upgrade-{uuid4().hex[:8]}"
    host_queue = f"{name}@host"
    one, two = options_of(name, "one"), options_of(name, "two")
    async with flows_of(client, one), flows_of(client, two):
        async with host_of(client, one, host_queue):
            await make_current(client, name, "one")
            handle = await client.start_workflow(
                Copying.run,
                host_queue,
                id=name,
                task_queue=f"{name}-main",
                id_conflict_policy=WorkflowIDConflictPolicy.FAIL,
            )
            async with asyncio.timeout(30):
                while not (await handle.describe()).history_length > 3:  # noqa: ASYNC110
                    await asyncio.sleep(0.1)
        async with host_of(client, two, host_queue):
            await make_current(client, name, "two")
            await handle.signal(Copying.tell)

            assert await asyncio.wait_for(handle.result(), 40) == "copied"
