"""A connection to the running engine over a Temporal client; each part is loaded when it is first used."""

from functools import cached_property
from typing import TYPE_CHECKING

from temporalio.client import Client

if TYPE_CHECKING:
    from gateway.desk.engine.temporal.agent_runs import TemporalAgentRuns
    from gateway.desk.engine.temporal.citation_audits import TemporalAudits
    from gateway.desk.engine.temporal.citations import TemporalScans
    from gateway.desk.engine.temporal.editing import TemporalEditors
    from gateway.desk.engine.temporal.manuscripts import TemporalManuscripts
    from gateway.desk.engine.temporal.model_trials import TemporalTrials
    from gateway.desk.engine.temporal.pipeline_runs import PipelineRuns, StartedRuns
    from gateway.desk.engine.temporal.pipelines import TemporalPipelines
    from gateway.desk.engine.temporal.scene_approvals import TemporalSceneApprovals
    from gateway.desk.engine.temporal.scenes import TemporalRounds
    from gateway.desk.engine.temporal.schedules import TemporalSchedules
    from schemas.continuity import ContinuityInput, ContinuityResult
    from schemas.planning import PlanningInput, PlanningResult
    from schemas.scene_memory import SceneMemoryInput, SceneMemoryResult


class TemporalEngine:
    """Implements ``gateway.desk.engine.connection.Engine``."""

    def __init__(self, client: Client, queue: str, model_queue: str) -> None:
        self._client = client
        self._queue = queue
        self._model_queue = model_queue

    @cached_property
    def pipelines(self) -> "TemporalPipelines":
        from gateway.desk.engine.temporal.pipelines import TemporalPipelines

        return TemporalPipelines(self._client, self._queue)

    @cached_property
    def schedules(self) -> "TemporalSchedules":
        from gateway.desk.engine.temporal.schedules import TemporalSchedules

        return TemporalSchedules(self._client, self._queue)

    @cached_property
    def plannings(self) -> "StartedRuns[PlanningInput, PlanningResult]":
        from gateway.desk.engine.temporal.side_runs import plannings

        return plannings(self._client, self._queue)

    @cached_property
    def readings(self) -> "StartedRuns[ContinuityInput, ContinuityResult]":
        from gateway.desk.engine.temporal.side_runs import readings

        return readings(self._client, self._queue)

    @cached_property
    def manuscripts(self) -> "TemporalManuscripts":
        from gateway.desk.engine.temporal.manuscripts import TemporalManuscripts

        return TemporalManuscripts(self._client, self._queue)

    @cached_property
    def scans(self) -> "TemporalScans":
        from gateway.desk.engine.temporal.citations import TemporalScans

        return TemporalScans(self._client, self._queue)

    @cached_property
    def audits(self) -> "TemporalAudits":
        from gateway.desk.engine.temporal.citation_audits import TemporalAudits

        return TemporalAudits(self._client, self._queue)

    @cached_property
    def approvals(self) -> "TemporalSceneApprovals":
        from gateway.desk.engine.temporal.scene_approvals import TemporalSceneApprovals

        return TemporalSceneApprovals(self._client)

    @cached_property
    def editors(self) -> "TemporalEditors":
        from gateway.desk.engine.temporal.editing import TemporalEditors

        return TemporalEditors(self._client, self._queue)

    @cached_property
    def rounds(self) -> "TemporalRounds":
        from gateway.desk.engine.temporal.scenes import TemporalRounds

        return TemporalRounds(self._client, self._queue, self._model_queue)

    @cached_property
    def memory_runs(self) -> "PipelineRuns[SceneMemoryInput, SceneMemoryResult]":
        from gateway.desk.engine.temporal.side_runs import memory_runs

        return memory_runs(self._client, self._queue)

    @cached_property
    def agent_runs(self) -> "TemporalAgentRuns":
        from gateway.desk.engine.temporal.agent_runs import TemporalAgentRuns

        return TemporalAgentRuns(self._client, self._queue)

    @cached_property
    def trials(self) -> "TemporalTrials":
        from gateway.desk.engine.temporal.model_trials import TemporalTrials

        return TemporalTrials(self._client, self._queue)
