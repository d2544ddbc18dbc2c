"""An agent at work inside a pipeline: its run is one step, paused and ended together with the pipeline."""

import asyncio
from abc import ABC
from collections.abc import Callable
from functools import partial
from typing import Final

from penwright.agents.loop.run import Run
from penwright.domain import control
from schemas.control import KillRequest
from workflows.agent_driving import AgentDriver, OwnTools
from workflows.steering import Given, State, Steered

OUT_OF_TIME: Final = KillRequest(who="the session", reason="its time is over")


class EmploysAgent(Steered[Given, State], ABC):
    """A pipeline that has an agent work as one of its steps."""

    async def _employ(self, run: Run, own_tools: OwnTools, has_delivered: Callable[[Run], bool]) -> Run:
        """Drive an agent's run to its end; a kill of the pipeline and the end of its time end it at once.

        A budget that the run has spent pauses the pipeline, or ends the run if it has delivered.

        Args:
            own_tools: tools that the pipeline carries out itself, by name.
            has_delivered: whether the run has what the pipeline wants of it.
        """
        agent = AgentDriver(run, own_tools=own_tools)
        driving = asyncio.create_task(self._drive(agent, has_delivered))
        while not driving.done() and not control.must_end(self._state):
            # A person's pause stops the clock, so the limit is set again at each change.
            await self._until(partial(self._has_turned, driving, self._state.control.paused))
            self._align(agent)
            if self._state.control.paused:
                self._show()  # the call in hand may take half an hour
        if not driving.done():
            agent.stop(self._state.control.stop or OUT_OF_TIME)
        await driving
        return agent.run

    def _has_turned(self, driving: "asyncio.Task[None]", paused: bool) -> bool:
        return driving.done() or self._state.control.paused is not paused

    async def _drive(self, agent: AgentDriver, has_delivered: Callable[[Run], bool]) -> None:
        self._align(agent)
        while await agent.advance(self._show):
            capped = agent.run.state.control
            # Without a reason it is a person's pause, which may end while the agent takes a step.
            if capped.paused and capped.pause_reason and not self._state.control.paused:
                if has_delivered(agent.run):
                    agent.stop(KillRequest(who="the session", reason=capped.pause_reason))
                else:
                    self._state = control.capped(self._state, capped.pause_reason)
            self._align(agent)
            self._show()

    def _align(self, agent: AgentDriver) -> None:
        """Pause or resume the agent as the pipeline is."""
        paused = self._state.control.paused
        if paused and not agent.run.state.control.paused:
            agent.pause()
        elif not paused and agent.run.state.control.paused:
            agent.resume()
