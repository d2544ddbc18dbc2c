"""An agent at work inside a pipeline: its run is one step, paused and ended together with the pipeline."""

import asyncio
from abc import ABC
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Final

from temporalio import workflow
from temporalio.exceptions import ActivityError

from penwright.agents.loop.run import Run
from penwright.domain import control
from schemas.control import KillRequest
from workflows.agents.driving import AgentDriver, OwnTools
from workflows.options import AT_ONCE, seconds
from workflows.queue_time import time_in_queues
from workflows.steering import CANCELLED, Given, State, Steered, wait_until

QUEUE_TIME: Final = "queue-time"
"""Marks runs that ask for it; those that began before this was built do not."""
QUEUE_TIME_CANCEL: Final = "queue-time-cancel"
"""Marks runs that were cancelled while they asked; before, the cancellation was lost."""
OUT_OF_TIME: Final = KillRequest(who="the session", reason="its time is over")


class EmploysAgent(Steered[Given, State], ABC):
    """A pipeline that has an agent work as one of its steps."""

    _is_employing = False

    async def _employ(
        self,
        run: Run,
        own_tools: OwnTools,
        has_delivered: Callable[[Run], bool],
        *,
        patience: timedelta = AT_ONCE,
    ) -> Run:
        """Drive an agent's run to its end; a kill of the pipeline and the end of its time end it at once.

        A budget that the run has spent pauses the pipeline, or ends the run if it has delivered.

        Args:
            own_tools: tools that the pipeline carries out itself, by name.
            has_delivered: whether the run has what the pipeline wants of it.
            patience: how long a kill waits for what the run has in hand.
        """
        agent = AgentDriver(run, own_tools=own_tools)
        self._is_employing = True
        driving = asyncio.create_task(self._drive(agent, has_delivered))
        while not driving.done() and not control.must_end(self._state):
            # A person's pause stops the clock, so the limit is set again at each change.
            await self._until(partial(self._has_turned, driving, self._state.control.paused))
            self._align(agent)
            if self._state.control.paused:
                self._show()  # the call in hand may take half an hour
        if not driving.done() and patience:
            self._align(agent)
            await wait_until(driving.done, patience)
        if not driving.done():
            agent.stop(self._state.control.stop or OUT_OF_TIME)
        await driving
        self._is_employing = False
        return agent.run

    async def _on_time_over(self) -> None:
        """Put the deadline off by what the agent's calls have waited in queues; end if that is nothing."""
        waited: timedelta | None = seconds(0)
        if self._is_employing and workflow.patched(QUEUE_TIME):
            waited = await self._time_in_queues()
        if waited is not None and not control.is_held_by_a_person(self._state):
            self._state = control.put_off(self._state, waited)

    async def _time_in_queues(self) -> timedelta | None:
        """None if the run was cancelled in Temporal meanwhile."""
        try:
            return await time_in_queues(self._state.control.started_at or workflow.info().start_time)
        except ActivityError:
            if not workflow.patched(QUEUE_TIME_CANCEL):
                return seconds(0)
            self._state = control.stopped(self._state, CANCELLED)
            return None

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
