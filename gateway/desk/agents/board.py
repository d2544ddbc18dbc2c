"""The runs of agents that go on: at work, paused, or waiting for a person's approval."""

from dataclasses import dataclass

from gateway.desk.engine.agent_runs import RunSummary
from gateway.desk.services import Services
from penwright.errors import EngineUnavailable


@dataclass(frozen=True, slots=True)
class AgentBoard:
    """Runs that go on, newest first; a sub-agent only while it waits, because its caller stands for it."""

    lines: tuple[RunSummary, ...]
    trouble: str = ""
    """Reason why it is not known what runs; empty if it is."""


def waits(run: RunSummary) -> bool:
    """Whether the run goes no further without a person."""
    return run.stage in ("approval", "paused")


async def at_work(services: Services) -> AgentBoard:
    """The runs that go on; without an engine it is not known."""
    try:
        async with services.engine() as engine:
            found = await engine.agent_runs.at_work()
    except EngineUnavailable as error:
        return AgentBoard((), error.message)
    return AgentBoard(tuple(each for each in found if not each.caller or waits(each)))
