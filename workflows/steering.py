"""Handlers and waits of every pipeline: kill, pause, resume, progress, its time limit, its next step.

``run`` and its loop stand in each workflow. The handlers only change ``control``; all else in the state is
changed by that workflow's ``_take``.
"""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Final, Generic, Literal, TypeVar

from temporalio import workflow
from temporalio.exceptions import ActivityError, is_cancelled_exception

from penwright.domain import control
from schemas.base import Cause, Effect, Progress
from schemas.control import KillRequest, PipelineState
from workflows.failures import cause_of
from workflows.visibility import show, shown

CANCELLED: Final = KillRequest(who="temporal", reason="the run was cancelled in Temporal")

Given = TypeVar("Given")
State = TypeVar("State", bound=PipelineState)
Step = TypeVar("Step")


async def wait_until(
    done: Callable[[], bool], left: timedelta | None
) -> Literal["done", "timeout", "cancelled"]:
    """Wait, and say what came first; a cancellation from the Temporal UI is swallowed."""
    try:
        await workflow.wait_condition(done, timeout=left, timeout_summary="time limit")
    except TimeoutError:
        return "timeout"
    except asyncio.CancelledError:
        return "cancelled"
    return "done"


def should_continue_as_new() -> bool:
    """Whether the history is long, and no caller waits for the answer to an update."""
    return workflow.info().is_continue_as_new_suggested() and workflow.all_handlers_finished()


class Steered(ABC, Generic[Given, State]):
    """A workflow that can be paused, resumed and killed, and that answers with its status."""

    def __init__(self, given: Given, state: State, *, op_prefix: str) -> None:
        """Args:
        op_prefix: what op ids begin with; the position of the step follows.
        """
        self._given = given
        self._state = state
        self._op_prefix = op_prefix

    @abstractmethod
    def _progress(self) -> Progress:
        """The status of the pipeline, by its rules."""

    @workflow.signal
    def kill(self, request: KillRequest) -> None:
        """End at the next safe edge."""
        self._state = control.stopped(self._state, request)

    @workflow.signal
    def pause(self) -> None:
        """Finish the step in hand, then wait."""
        self._state = control.paused(self._state)

    @workflow.signal
    def resume(self) -> None:
        """Go on after a pause."""
        self._state = control.resumed(self._state)

    @workflow.query
    def progress(self) -> Progress:
        """The status of the pipeline."""
        return shown(self._progress())

    def _show(self) -> None:
        show(self._progress())

    async def _next(self, next_step: Callable[[Given, State, Effect], Step]) -> Step:
        """Return the next step, after any pause; None at the end."""
        if self._state.control.paused:
            self._show()
            await self._until(lambda: not self._state.control.paused)
        return next_step(
            self._given, self._state, control.effect(self._op_prefix, self._state, workflow.now())
        )

    async def _attempt(
        self,
        step: Step,
        take: Callable[[Step], Awaitable[State]],
        failed: Callable[[Given, State, Step, Cause], State],
    ) -> State:
        """Take a step. A failure that retries could not cure is a result like any other."""
        try:
            return await take(step)
        except ActivityError as error:
            if is_cancelled_exception(error):
                return control.after_step(control.stopped(self._state, CANCELLED))
            return failed(self._given, self._state, step, cause_of(error))

    async def _until(self, done: Callable[[], bool]) -> None:
        """Wait for ``done``, or until the pipeline must end: by a kill, or because its time is over.

        A pause or resume meanwhile is shown, and stops or restarts the clock.
        """
        while True:
            await self._until_change(done)
            if done() or control.must_end(self._state):
                return
            self._show()

    async def _on_time_over(self) -> None:
        self._state = control.timed_out(self._state)

    async def _until_change(self, done: Callable[[], bool]) -> None:
        paused = self._state.control.paused

        def has_changed() -> bool:
            return done() or control.must_end(self._state) or self._state.control.paused is not paused

        first = await wait_until(has_changed, control.time_left(self._state, workflow.now()))
        if first == "timeout":
            await self._on_time_over()
        elif first == "cancelled":
            self._state = control.stopped(self._state, CANCELLED)
