"""Runs of agents for commands under test: each is answered at once, as the test has it."""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Never

from pydantic import JsonValue

from gateway.desk.engine.agent_runs import RunSummary
from gateway.desk.engine.pipelines import Acknowledgement, Message
from penwright.errors import NotFound, PermanentError
from schemas.agent_run import AgentRunInput, AgentRunResult, RunUsage
from schemas.base import Cause, Progress

_LONG_AGO = datetime(2026, 2, 22, tzinfo=UTC)


@dataclass
class RehearsedAgents:
    """The part of ``AgentRuns`` that starts a run and waits for its end."""

    answers: dict[str, JsonValue | Cause] = field(default_factory=dict)
    """By the agent's name: what it delivers, or why it delivers nothing."""
    given: list[AgentRunInput] = field(default_factory=list)
    going_on: tuple[RunSummary, ...] = ()
    over: tuple[RunSummary, ...] = ()

    async def at_work(self) -> tuple[RunSummary, ...]:
        return self.going_on

    async def find(self, run_id: str) -> RunSummary:
        for each in (*self.going_on, *self.over, *map(_ended, self.given)):
            if each.run_id == run_id:
                return each
        raise NotFound("unknown-run", f"no run {run_id!r}", hint="`penwright run list` shows the runs")

    async def listed(self, **_: object) -> tuple[RunSummary, ...]:
        return (*self.going_on, *self.over)

    async def progress(self, run_id: str) -> Progress:
        found = await self.find(run_id)
        return Progress(pipeline="agent-run", subject=found.subject, stage=found.stage)

    async def signal(self, run_id: str, message: Message) -> Acknowledgement:
        await self.find(run_id)
        return Acknowledgement("session", heard=True)

    async def waiting(self, run_id: str) -> None:
        await self.find(run_id)

    async def segments(self, run_id: str) -> Never:
        raise NotFound("unknown-run", f"no history of {run_id!r} is left")

    async def start(self, given: AgentRunInput) -> bool:
        self.given.append(given)
        return True

    async def result(self, run_id: str) -> AgentRunResult:
        given = next((each for each in self.given if each.run_id == run_id), None)
        if given is None:
            raise PermanentError("run-ended", "it was ended from outside")
        answer = self.answers[given.agent]
        named = {"agent": given.agent, "run_id": run_id, "subject": given.subject}
        if isinstance(answer, Cause):
            return AgentRunResult(outcome="failed", code=answer.code, message=answer.message, **named)
        return AgentRunResult(outcome="completed", output=answer, spent=RunUsage(cost_micros=10), **named)


def _ended(given: AgentRunInput) -> RunSummary:
    return RunSummary(given.run_id, given.agent, given.subject, "completed", "end", _LONG_AGO, _LONG_AGO, 0)
