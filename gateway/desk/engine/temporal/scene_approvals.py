"""Runs on a novel's scenes that wait for a person, over a Temporal client."""

from collections.abc import Mapping
from typing import Final

from temporalio.client import Client, WorkflowHandle

from gateway.desk.engine.temporal.errors import translated
from gateway.desk.engine.temporal.executions import ANSWER_TIMEOUT
from penwright.domain.approvals import is_waiting
from penwright.domain.manuscript.identity import scene_workflow
from penwright.errors import PenwrightError, Refused
from schemas.base import BookId
from schemas.citation_scan import CitationScanResult
from schemas.intents import ApprovalDecision, ApprovalRequest
from schemas.manuscript import ManuscriptResult
from workflows.citation_scan import CitationScan
from workflows.manuscript_loop import ManuscriptLoop

_LOOP: Final = "manuscript"
_SCAN: Final = "citations"
_RUNNING: Final = "ExecutionStatus = 'Running' AND WorkflowType IN ('ManuscriptLoop', 'CitationScan')"


class TemporalSceneApprovals:
    """Implements ``gateway.desk.engine.manuscripts.SceneApprovals``.

    Loop and scan never have a scene at the same time, so at most one of them waits there.
    """

    def __init__(self, client: Client) -> None:
        self._client = client

    async def waiting(self, novel: BookId) -> Mapping[str, ApprovalRequest]:
        async with translated(_no_run, thing="run"):
            running = [each.id async for each in self._client.list_workflows(_RUNNING)]
            loops = {scene: await self._of_loop(novel, scene) for scene in _scenes(_LOOP, novel, running)}
            scans = {scene: await self._of_scan(novel, scene) for scene in _scenes(_SCAN, novel, running)}
        both = [*loops.items(), *scans.items()]
        return {scene: request for scene, request in both if request is not None}

    async def decide(self, novel: BookId, scene: str, decision: ApprovalDecision) -> None:
        async with translated(_no_run, thing="run"):
            running = [each.id async for each in self._client.list_workflows(_RUNNING)]
            if scene in _scenes(_SCAN, novel, running) and await self._of_scan(novel, scene) is not None:
                await self._scan(novel, scene).execute_update(
                    CitationScan.decide_approval, decision, rpc_timeout=ANSWER_TIMEOUT
                )
                return
            await self._loop(novel, scene).execute_update(
                ManuscriptLoop.decide_approval, decision, rpc_timeout=ANSWER_TIMEOUT
            )

    async def _of_loop(self, novel: BookId, scene: str) -> ApprovalRequest | None:
        state = await self._loop(novel, scene).query(ManuscriptLoop.state, rpc_timeout=ANSWER_TIMEOUT)
        return state.asked if is_waiting(state) else None

    async def _of_scan(self, novel: BookId, scene: str) -> ApprovalRequest | None:
        asked = CitationScan.pending_approval
        return await self._scan(novel, scene).query(asked, rpc_timeout=ANSWER_TIMEOUT)

    def _loop(self, novel: BookId, scene: str) -> WorkflowHandle[ManuscriptLoop, ManuscriptResult]:
        workflow = scene_workflow(_LOOP, novel, scene)
        return self._client.get_workflow_handle_for(ManuscriptLoop.run, workflow)

    def _scan(self, novel: BookId, scene: str) -> WorkflowHandle[CitationScan, CitationScanResult]:
        workflow = scene_workflow(_SCAN, novel, scene)
        return self._client.get_workflow_handle_for(CitationScan.run, workflow)


def _scenes(kind: str, novel: BookId, running: list[str]) -> list[str]:
    """The novel's scenes on which a run of this kind is at work."""
    prefix = scene_workflow(kind, novel, "")
    return [each.removeprefix(prefix) for each in running if each.startswith(prefix)]


def _no_run() -> PenwrightError:
    return Refused("nothing-runs", "no run on this scene waits any more")
