"""Approvals on a novel's scenes, over a server: found by the novel, answered by the scene."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from pathlib import Path

import pytest
from temporalio.client import WorkflowFailureError
from temporalio.testing import WorkflowEnvironment

from gateway.desk.engine.temporal.scene_approvals import TemporalSceneApprovals
from penwright.errors import Refused
from schemas.base import BookId
from schemas.intents import ApprovalDecision, ApprovalRequest
from tests.support.books.repos import commit_all
from tests.support.citations.desk import scan_desk
from tests.support.manuscripts.studio import Studio, studio


@pytest.fixture
async def here(temporal_env: WorkflowEnvironment, tmp_path: Path) -> AsyncIterator[Studio]:
    async with studio(temporal_env.client, tmp_path) as opened:
        yield opened


def reword_intent(here: Studio) -> None:
    """What is denied from now on, because the intent was selected in other words."""
    registry = here.novel.folder / ".orchestration/active_intents.yaml"
    registry.write_text(registry.read_text().replace("Write the manuscript", "Write all of it"))
    commit_all(here.novel.folder)


async def until_waiting(approvals: TemporalSceneApprovals, novel: BookId) -> Mapping[str, ApprovalRequest]:
    async with asyncio.timeout(60):
        while not (found := await approvals.waiting(novel)):  # noqa: ASYNC110  # another process
            await asyncio.sleep(0.05)
    return found


async def test_what_a_scene_waits_for_is_found_by_its_novel_and_denied(here: Studio) -> None:
    approvals, novel = TemporalSceneApprovals(here.client), BookId(here.queue)
    here.cast.gates["writer"] = asyncio.Event()
    handle = await here.start()
    await here.cast.reached["writer"].wait()
    reword_intent(here)
    here.cast.gates["writer"].set()

    found = await until_waiting(approvals, novel)

    assert list(found) == ["-"]
    request = found["-"]
    assert request.need.codes == ("INTENT_CHANGED",)
    assert await approvals.waiting(BookId(f"{novel}-other")) == {}
    wrong = ApprovalDecision(approval="AP-0", plan_digest="sha256:0", decided="denied", by="ada")
    with pytest.raises(Refused):
        await approvals.decide(novel, "-", wrong)
    right = wrong.model_copy(update={"approval": request.id, "plan_digest": request.need.plan_digest})
    await approvals.decide(novel, "-", right)
    with pytest.raises(WorkflowFailureError):
        await handle.result()
    assert await approvals.waiting(novel) == {}


async def test_a_scene_on_which_nothing_runs_refuses_a_decision(here: Studio) -> None:
    decision = ApprovalDecision(approval="AP-0", plan_digest="sha256:0", decided="denied", by="ada")

    with pytest.raises(Refused) as refused:
        await TemporalSceneApprovals(here.client).decide(BookId(here.queue), "-", decision)

    assert refused.value.code == "nothing-runs"


async def test_a_citation_scan_that_waits_is_found_and_decided_by_its_scene(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    async with scan_desk(temporal_env.client, tmp_path) as desk:
        approvals, novel = TemporalSceneApprovals(desk.client), BookId(desk.novel_id)
        handle = await desk.start(waits=True)
        await desk.until_waiting(handle)
        registry = desk.novel.folder / ".orchestration/active_intents.yaml"
        registry.write_text(registry.read_text().replace("Write the manuscript", "Write all of it"))
        commit_all(desk.novel.folder)
        await desk.decide(handle, "accept", every="all")

        request = (await until_waiting(approvals, novel))["-"]
        decision = ApprovalDecision(
            approval=request.id, plan_digest=request.need.plan_digest, decided="approved", by="ada"
        )
        await approvals.decide(novel, "-", decision)
        ended = await handle.result()

    assert request.need.codes == ("INTENT_CHANGED",)
    assert ended.counts.applied == 2
