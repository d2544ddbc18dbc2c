"""Heartbeats for every activity that promises them, so that a lost worker is noticed in seconds."""

import asyncio
from contextlib import suppress
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
        self._outbound = outbound
        super().init(outbound)

    async def execute_activity(self, input: ExecuteActivityInput) -> Any:  # any activity's own result type
        timeout = activity.info().heartbeat_timeout
        if timeout is None:
            return await super().execute_activity(input)
        beats = asyncio.create_task(self._beat(timeout.total_seconds() / 3))
        try:
            return await super().execute_activity(input)
        finally:
            beats.cancel()
            with suppress(asyncio.CancelledError):
                await beats

    async def _beat(self, every_s: float) -> None:
        # Not ``activity.heartbeat``: for an activity in a thread, that waits for this very event loop.
        # Not at once: the server counts from the start anyway, and each beat is a transaction there.
        while True:
            await asyncio.sleep(every_s)
            self._outbound.heartbeat()
