"""Port: runs of agents."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from gateway.desk.engine.pipelines import Acknowledgement, Message
from schemas.agent_run import (
    AgentRunInput,
    AgentRunResult,
    AgentRunState,
    CallApproval,
    CallDecision,
    OutsideAnswer,
    OutsideCall,
)
from schemas.base import Progress

WORK = "agent-run"
"""The pipeline of every run of an agent."""


@dataclass(frozen=True, slots=True)
class RunSummary:
    """A run as the engine lists it."""

    run_id: str
    agent: str
    subject: str
    status: str
    """``running``, or how Temporal says it ended: ``completed``, ``failed``, ``terminated`` …; of a run that
    Temporal has forgotten, its outcome."""
    stage: str
    started_at: datetime
    """Of its newest segment."""
    ended_at: datetime | None
    cost_micros: int
    caller: str = ""
    """The run that it is a sub-agent of."""

    @property
    def runs(self) -> bool:
        """Whether it has not ended."""
        return self.status == "running"


@dataclass(frozen=True, slots=True)
class Waiting:
    """A call that waits for approval, and the run that made it, which may be a sub-agent."""

    run_id: str
    approval: CallApproval


@dataclass(frozen=True, slots=True)
class Segment:
    """One history of a run, between two times that it continued as new."""

    workflow_id: str
    execution: str
    """Temporal's own id of it."""
    # Any: a history as JSON.
    history: Mapping[str, Any]
    """Decrypted, and with the payloads that are stored outside of it."""


@dataclass(frozen=True, slots=True)
class RunView:
    """All that is known of a run."""

    found: RunSummary
    progress: Progress | None = None
    waiting: Waiting | None = None
    result: AgentRunResult | None = None
    trouble: str = ""
    """Reason why no more is known."""


class AgentRuns(Protocol):
    """The runs of agents as commands see them."""

    async def start(self, given: AgentRunInput) -> bool:
        """Start a run; False when the same request runs, or ran, under this id already.

        Raises:
            Refused: ``run-id-taken``, when another request has the id.
        """
        ...

    async def find(self, run_id: str) -> RunSummary:
        """``NotFound`` ``unknown-run`` if there is none."""
        ...

    async def listed(
        self, *, subject: str = "", running: bool = False, limit: int = 20
    ) -> tuple[RunSummary, ...]:
        """Newest first, without sub-agents. A new run may be missing for a second. Session writers are listed
        only while they run."""
        ...

    async def at_work(self) -> tuple[RunSummary, ...]:
        """Those that go on, the newest 200, sub-agents too; the writers of sessions are left out."""
        ...

    async def progress(self, run_id: str) -> Progress:
        """Progress of a running one; ``EngineUnavailable`` ``engine-no-answer`` without a worker."""
        ...

    async def state(self, run_id: str) -> AgentRunState:
        """State of a running one; fails as ``progress``."""
        ...

    async def failing(self, run_id: str) -> str:
        """Error of a running one's code that stops each try, so that it goes no further; empty if none."""
        ...

    async def waiting(self, run_id: str) -> Waiting | None:
        """The call of a running one, or of its sub-agents, that waits for approval."""
        ...

    async def result(self, run_id: str) -> AgentRunResult:
        """Wait for the run to end; ``PermanentError`` ``run-ended`` if it was ended from outside."""
        ...

    async def decide(self, run_id: str, decision: CallDecision) -> CallApproval:
        """Answer what waits; ``Refused`` when it is another, decided, or expired."""
        ...

    async def call_tool(self, run_id: str, call: OutsideCall) -> OutsideAnswer:
        """A call of an outside harness, once its outcome is known; a person's approval is waited for.

        Raises:
            Refused: ``run-ended``, or ``run-not-outside``: a model thinks in it.
        """
        ...

    async def signal(self, run_id: str, message: Message) -> Acknowledgement:
        """Kill, pause or resume, and wait some seconds for the acknowledgement."""
        ...

    async def segments(self, run_id: str) -> tuple[Segment, ...]:
        """The histories of a run and its sub-agents, the run's own first, each run's oldest first."""
        ...
