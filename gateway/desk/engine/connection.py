"""Port: a connection to the running engine, and trials of models in it."""

from typing import TYPE_CHECKING, Protocol

from schemas.model_trial import ModelTrialOrder, ProbeReport

if TYPE_CHECKING:
    from gateway.desk.engine.agent_runs import AgentRuns
    from gateway.desk.engine.citations import Audits, Scans
    from gateway.desk.engine.manuscripts import Editors, Manuscripts, SceneApprovals
    from gateway.desk.engine.pipelines import Pipelines, Runs, Schedules, SideRuns
    from gateway.desk.engine.rounds import Rounds
    from schemas.continuity import ContinuityInput, ContinuityResult
    from schemas.planning import PlanningInput, PlanningResult


class Trials(Protocol):
    """Trials of models as the desk orders them, in the process that holds the vendors' keys."""

    async def tried(self, order: ModelTrialOrder) -> ProbeReport:
        """Carry an order out once, however often it is given; raises what the model's first answer was."""
        ...


class Engine(Protocol):
    """A connection to the running engine: the runs of every pipeline, and what is asked of them."""

    @property
    def pipelines(self) -> "Pipelines": ...

    @property
    def schedules(self) -> "Schedules": ...

    @property
    def readings(self) -> "SideRuns[ContinuityInput, ContinuityResult]": ...

    @property
    def plannings(self) -> "SideRuns[PlanningInput, PlanningResult]": ...

    @property
    def manuscripts(self) -> "Manuscripts": ...

    @property
    def scans(self) -> "Scans": ...

    @property
    def audits(self) -> "Audits": ...

    @property
    def approvals(self) -> "SceneApprovals": ...

    @property
    def editors(self) -> "Editors": ...

    @property
    def rounds(self) -> "Rounds": ...

    @property
    def memory_runs(self) -> "Runs": ...

    @property
    def agent_runs(self) -> "AgentRuns": ...

    @property
    def trials(self) -> "Trials": ...
