"""An agent at work inside a pipeline: whose pause it is when both stand still."""

import asyncio
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

from penwright.domain import control
from schemas.base import Progress
from schemas.control import PipelineState
from workflows.agents.driving import AgentDriver
from workflows.agents.employing import EmploysAgent


class Pipeline(EmploysAgent[str, PipelineState]):
    """A pipeline whose only step is its agent's."""

    def __init__(self) -> None:
        super().__init__("given", PipelineState(), op_prefix="pipeline#")

    def _progress(self) -> Progress:
        return control.progress(self._state, pipeline="p", subject="s", stage="work", detail="")

    def _show(self) -> None:
        """There is no Temporal UI here."""

    def work(self, agent: "OneStep") -> None:
        asyncio.run(self._drive(cast(AgentDriver, agent), lambda _: False))


class OneStep:
    """A driver of a run that takes one step, and stands still after it for a reason."""

    def __init__(self, pause: Callable[[PipelineState], PipelineState]) -> None:
        self._pause = pause
        self._steps = 1
        self.run: Any = SimpleNamespace(state=PipelineState())

    async def advance(self, show: Callable[[], None]) -> bool:
        if self._steps:
            self.run.state = self._pause(self.run.state)
        self._steps -= 1
        return self._steps >= 0

    def pause(self) -> None:
        self.run.state = control.paused(self.run.state)

    def resume(self) -> None:
        self.run.state = control.resumed(self.run.state)


def test_a_pipeline_resumed_while_its_agent_took_a_step_stays_resumed() -> None:
    pipeline, agent = Pipeline(), OneStep(control.paused)

    pipeline.work(agent)

    assert not pipeline.progress().paused
    assert not agent.run.state.control.paused


def test_a_budget_that_the_agent_has_spent_pauses_the_pipeline() -> None:
    pipeline, agent = Pipeline(), OneStep(lambda state: control.capped(state, "budget spent"))

    pipeline.work(agent)

    assert pipeline.progress().paused
    assert control.pause_detail(pipeline._state) == "Paused: budget spent"
