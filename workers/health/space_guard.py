"""Keeps new sessions from beginning while the disk is nearly full; those that run go on."""

from typing import Any

from temporalio import activity
from temporalio.worker import ActivityInboundInterceptor, ExecuteActivityInput, Interceptor

from penwright.errors import PassingError
from schemas.base import DISK_LOW
from workers.failures import as_failure
from workers.home import free_space
from workers.settings import Settings

OPENING = frozenset({"open_session", "open_manuscript", "survey_text", "begin_round"})
"""The first step of a session of each pipeline."""


class SpaceGuard(Interceptor):
    """Refuses the first step of a session under the free-space floor; Temporal repeats it later."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    def intercept_activity(self, next: ActivityInboundInterceptor) -> ActivityInboundInterceptor:
        return _Guarded(next, self._settings)


class _Guarded(ActivityInboundInterceptor):
    def __init__(self, next: ActivityInboundInterceptor, settings: Settings) -> None:
        super().__init__(next)
        self._settings = settings

    async def execute_activity(self, input: ExecuteActivityInput) -> Any:  # Any: an activity's own result
        if activity.info().activity_type in OPENING and not free_space.enough(self._settings):
            raise as_failure(PassingError(DISK_LOW, free_space.message(self._settings)))
        return await super().execute_activity(input)
