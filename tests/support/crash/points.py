"""Where a worker process kills or stops itself: around or within a chosen execution of an activity, once."""

import asyncio
import os
import signal
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from temporalio import activity, client, workflow
from temporalio.worker import (
    ActivityInboundInterceptor,
    ExecuteActivityInput,
    Interceptor,
    StartActivityInput,
    WorkflowInboundInterceptor,
    WorkflowInterceptorClassInput,
    WorkflowOutboundInterceptor,
)

from activities.agents.turn import AgentTurnActivities
from penwright.ports.models import LanguageModel
from schemas.model import ModelRequest, ModelResponse


@dataclass(frozen=True, slots=True)
class CrashPoint:
    """One moment of one activity."""

    activity: str
    when: Literal["asked", "before", "during", "done", "after"]
    """``asked``: the workflow asks for it; its process is struck before the server hears of that.
    ``during`` and ``done`` are triggered by the activity's own tools, see ``strike``."""
    number: int = 1
    """Which execution, from 1, retries included."""
    sends: signal.Signals = signal.SIGKILL
    """SIGSTOP freezes the process instead; a test wakes it later."""
    lasts: bool = False
    """Whether the activity continues until it is cancelled, where its tools call ``outlast``."""

    def __str__(self) -> str:
        return f"{self.when}-{self.activity}-{self.number}"

    @property
    def fails_a_call(self) -> bool:
        """Whether an attempt of a model call is lost without an answer, which counts against a run's caps."""
        return (self.activity, self.when) == ("call_model", "before")


class CrashInterceptor(client.Interceptor, Interceptor):
    """Sends the point's signal to its own process there; ``marker`` remembers that it did."""

    def __init__(self, point: CrashPoint, marker: Path) -> None:
        super().__init__()
        self._point = point
        self._marker = marker
        self._struck = False

    def intercept_activity(self, next: ActivityInboundInterceptor) -> ActivityInboundInterceptor:
        return _Crashing(next, self)

    def workflow_interceptor_class(
        self, input: WorkflowInterceptorClassInput
    ) -> type[WorkflowInboundInterceptor] | None:
        if self._point.when != "asked":
            return None
        crash = self

        class Listening(WorkflowInboundInterceptor):
            def init(self, outbound: WorkflowOutboundInterceptor) -> None:
                super().init(_Asking(outbound, crash))

        return Listening

    def asked(self, name: str) -> None:
        """End this process if its workflow asks for the point's activity for the first time."""
        if name == self._point.activity and not workflow.unsafe.is_replaying():
            # The marker is a file, which a workflow may not touch.
            with workflow.unsafe.sandbox_unrestricted():
                self._count()

    def strike(self, when: str) -> None:
        """End this process if it is at the point and no process was struck there before."""
        if when == self._point.when and activity.info().activity_type == self._point.activity:
            self._count()

    def survived(self) -> None:
        """Note which activities this process finished, so that a test can see that a woken one continued."""
        with self._marker.with_suffix(".finished").open("a", encoding="ascii") as finished:
            finished.write(f"{activity.info().activity_type}\n")

    async def outlast(self) -> None:
        """Wait to be cancelled, once this process was struck at a point that lasts."""
        if self._struck and self._point.lasts:
            await asyncio.Event().wait()

    def _count(self) -> None:
        with self._marker.open("a", encoding="ascii") as marker:
            marker.write("x")
        if self._marker.stat().st_size == self._point.number:
            self._struck = True
            os.kill(os.getpid(), self._point.sends)


_armed: list[CrashInterceptor] = []


def arm(interceptor: CrashInterceptor) -> None:
    """Make it the one that ``strike`` asks; a process has at most one."""
    _armed.append(interceptor)


def strike(when: Literal["during", "done"]) -> None:
    """Called by the tools of an activity, during its effect or after it."""
    if _armed and activity.in_activity():
        _armed[0].strike(when)


async def outlast() -> None:
    """Called by the tools of an activity, where they may be slow."""
    if _armed and activity.in_activity():
        await _armed[0].outlast()


@dataclass(frozen=True, slots=True)
class _Paid:
    """A model that strikes when its answer is in the ledger and has not been read."""

    model: LanguageModel

    async def complete(self, request: ModelRequest) -> ModelResponse:
        answer = await self.model.complete(request)
        strike("done")
        return answer


class _Asking(WorkflowOutboundInterceptor):
    def __init__(self, next: WorkflowOutboundInterceptor, crash: CrashInterceptor) -> None:
        super().__init__(next)
        self._crash = crash

    # Any: any activity's own result type.
    def start_activity(self, input: StartActivityInput) -> workflow.ActivityHandle[Any]:
        self._crash.asked(input.activity)
        return super().start_activity(input)


class _Crashing(ActivityInboundInterceptor):
    def __init__(self, next: ActivityInboundInterceptor, crash: CrashInterceptor) -> None:
        super().__init__(next)
        self._crash = crash

    async def execute_activity(self, input: ExecuteActivityInput) -> Any:  # any activity's own result type
        self._crash.strike("before")
        if isinstance(asked := getattr(input.fn, "__self__", None), AgentTurnActivities):
            input.fn = replace(asked, model=_Paid(asked.model)).call_model
        result = await super().execute_activity(input)
        self._crash.strike("after")
        self._crash.survived()
        return result
