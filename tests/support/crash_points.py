"""Where a worker process kills or stops itself: before or after a chosen execution of an activity, once."""

import os
import signal
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from temporalio import activity, client
from temporalio.worker import (
    ActivityInboundInterceptor,
    ExecuteActivityInput,
    Interceptor,
)


@dataclass(frozen=True, slots=True)
class CrashPoint:
    """One boundary of one activity."""

    activity: str
    when: Literal["before", "after"]
    number: int = 1
    """Which execution, from 1, retries included."""
    sends: signal.Signals = signal.SIGKILL
    """SIGSTOP freezes the process instead, for somebody to wake it later."""

    def __str__(self) -> str:
        return f"{self.when}-{self.activity}-{self.number}"


class CrashInterceptor(client.Interceptor, Interceptor):
    """Sends the point's signal to its own process there; ``marker`` remembers that it did."""

    def __init__(self, point: CrashPoint, marker: Path) -> None:
        super().__init__()
        self._point = point
        self._marker = marker

    def intercept_activity(self, next: ActivityInboundInterceptor) -> ActivityInboundInterceptor:
        return _Crashing(next, self)

    def strike(self, when: str) -> None:
        """End this process if it stands at the point and nobody was struck there before."""
        if when == self._point.when and activity.info().activity_type == self._point.activity:
            self._count()

    def survived(self) -> None:
        """Note which activities this process finished, so that a test can tell that a woken one went on."""
        with self._marker.with_suffix(".finished").open("a", encoding="ascii") as finished:
            finished.write(f"{activity.info().activity_type}\n")

    def _count(self) -> None:
        with self._marker.open("a", encoding="ascii") as marker:
            marker.write("x")
        if self._marker.stat().st_size == self._point.number:
            os.kill(os.getpid(), self._point.sends)


class _Crashing(ActivityInboundInterceptor):
    def __init__(self, next: ActivityInboundInterceptor, crash: CrashInterceptor) -> None:
        super().__init__(next)
        self._crash = crash

    async def execute_activity(self, input: ExecuteActivityInput) -> Any:  # any activity's own result type
        self._crash.strike("before")
        result = await super().execute_activity(input)
        self._crash.strike("after")
        self._crash.survived()
        return result
