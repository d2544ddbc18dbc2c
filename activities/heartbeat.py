"""Heartbeats for every activity that promises them, so that a lost worker is noticed in seconds."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from temporalio import activity
from temporalio.worker import (
    ActivityInboundInterceptor,
    ActivityOutboundInterceptor,
    ExecuteActivityInput,
    Interceptor,
)


class HeartbeatInterceptor(Interceptor):
    """Beats while an activity runs, at a third of its heartbeat timeout.

    A stuck activity keeps beating; its start-to-close timeout is what ends it.
    """

    def intercept_activity(self, next: ActivityInboundInterceptor) -> ActivityInboundInterceptor:
        return _Beating(next)


class _Beating(ActivityInboundInterceptor):
    def init(self, outbound: ActivityOutboundInterceptor) -> None:
        self._outbound = _Remembering(outbound)
        super().init(self._outbound)

    async def execute_activity(self, input: ExecuteActivityInput) -> Any:  # any activity's own result type
        timeout = activity.info().heartbeat_timeout
        if timeout is None:
            return await super().execute_activity(input)
        beats = _Beats(self._outbound.repeat, every_s=timeout.total_seconds() / 3)
        try:
            return await super().execute_activity(input)
        finally:
            beats.end()


class _Remembering(ActivityOutboundInterceptor):
    """Keeps what the activity has said of itself: a beat without it would erase it on the server."""

    def __init__(self, next: ActivityOutboundInterceptor) -> None:
        super().__init__(next)
        self._said: Sequence[Any] | None = None  # Any: details of any type

    def heartbeat(self, *details: Any) -> None:
        self._said = details
        super().heartbeat(*details)

    def repeat(self) -> None:
        """Beat with what was said last, by an earlier attempt if this one has said nothing."""
        said = activity.info().heartbeat_details if self._said is None else self._said
        super().heartbeat(*said)


class _Beats:
    """Beats by a timer of the event loop: nearly free for the many activities that end before the first."""

    def __init__(self, heartbeat: Callable[[], None], *, every_s: float) -> None:
        # Not ``activity.heartbeat``: for an activity in a thread, that waits for this very event loop.
        self._heartbeat = heartbeat
        self._every_s = every_s
        self._loop = asyncio.get_running_loop()
        # Not at once: the server counts from the start anyway, and each beat is a transaction there.
        self._next = self._loop.call_later(every_s, self._beat)

    def _beat(self) -> None:
        self._next = self._loop.call_later(self._every_s, self._beat)
        self._heartbeat()

    def end(self) -> None:
        self._next.cancel()
