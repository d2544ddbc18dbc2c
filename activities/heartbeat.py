"""Heartbeats for every activity that promises them, so that a lost worker is noticed in seconds."""

import asyncio
from contextlib import suppress
from typing import Any

from temporalio import activity
from temporalio.worker import ActivityInboundInterceptor, ExecuteActivityInput, Interceptor


class HeartbeatInterceptor(Interceptor):
    """Beats while an activity runs, at a third of its heartbeat timeout.

    A stuck activity keeps beating; its start-to-close timeout is what ends it.
    """

    def intercept_activity(self, next: ActivityInboundInterceptor) -> ActivityInboundInterceptor:
        return _Beating(next)


class _Beating(ActivityInboundInterceptor):
    async def execute_activity(self, input: ExecuteActivityInput) -> Any:  # any activity's own result type
        timeout = activity.info().heartbeat_timeout
        if timeout is None:
            return await super().execute_activity(input)
        beats = asyncio.create_task(_beat(timeout.total_seconds() / 3))
        try:
            return await super().execute_activity(input)
        finally:
            beats.cancel()
            with suppress(asyncio.CancelledError):
                await beats


async def _beat(every_s: float) -> None:
    while True:
        activity.heartbeat()
        await asyncio.sleep(every_s)
