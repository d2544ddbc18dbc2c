"""Two releases on one Temporal: a session that is pinned to the old one ends across the upgrade."""

import asyncio
from pathlib import Path
from uuid import uuid4

import pytest
from temporalio.api.workflowservice.v1 import SetWorkerDeploymentCurrentVersionRequest
from temporalio.client import Client
from temporalio.service import RPCError

from schemas.outside_session import DeliverProse, SessionProse
from tests.e2e.conftest import NewBook
from tests.support.books.running_books import RunningBook, prose_of
from tests.support.engine.crew import crew
from tests.support.engine.stand import Stand

pytestmark = [pytest.mark.server, pytest.mark.xdist_group("engine")]


async def make_current(client: Client, deployment: str, build: str) -> None:
    """Make a build current; the server knows it only after its first poll."""
    request = SetWorkerDeploymentCurrentVersionRequest(
        namespace=client.namespace,
        deployment_name=deployment,
        build_id=build,
        ignore_missing_task_queues=True,
    )
    async with asyncio.timeout(60):
        while True:
            try:
                await client.workflow_service.set_worker_deployment_current_version(request)
                return
            except RPCError:
                await asyncio.sleep(0.2)


async def build_of(client: Client, book: RunningBook) -> str:
    """The build that the book's run is pinned to."""
    described = await client.get_workflow_handle(f"book/{book.book_id}").describe()
    return described.raw_description.workflow_execution_info.versioning_info.deployment_version.build_id


async def test_a_session_pinned_to_one_build_ends_when_the_next_one_serves_its_host(
    stand: Stand, tmp_path: Path, new_book: NewBook
) -> None:
    book, name = new_book(), f"upgrade-{uuid4().hex[:8]}"
    one = stand.environ(
        tmp_path / "desk", name, PENWRIGHT_WORKER__BUILD_ID="one", PENWRIGHT_WORKER__DEPLOYMENT=name
    )
    two = {**one, "PENWRIGHT_WORKER__BUILD_ID": "two"}
    pipelines = stand.pipelines(one)
    async with crew(tmp_path / "old", one, kinds=("workflows",)):
        async with crew(tmp_path / "host", one, kinds=("activities",)):
            await make_current(stand.client, name, "one")
            await pipelines.open(book.session("s1", one, writer="outside"))
        async with crew(tmp_path / "new", two, kinds=("workflows", "activities")):
            await make_current(stand.client, name, "two")
            prose = stand.store.blobs.put(prose_of("s1").encode())
            async with asyncio.timeout(60):
                closed = await pipelines.close(book.book_id, DeliverProse(written=SessionProse(prose=prose)))

    assert closed.report.status == "closed"
    assert book.remote_tip == book.tip
    assert await build_of(stand.client, book) == "one"
