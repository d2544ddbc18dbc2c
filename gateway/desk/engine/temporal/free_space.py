"""Too little disk: no session is begun, and one that waits for space says so."""

from typing import Any

from temporalio.client import (
    Interceptor,
    OutboundInterceptor,
    StartWorkflowInput,
    StartWorkflowUpdateWithStartInput,
    WorkflowExecutionDescription,
    WorkflowHandle,
    WorkflowUpdateHandle,
)

from gateway.desk.engine.temporal.failing_tasks import STUCK
from penwright.errors import PassingError
from schemas.base import DISK_LOW, Progress
from workers.home import free_space
from workers.settings import Settings

SESSIONS = frozenset({"BookSession", "ManuscriptLoop", "CitationScan", "DirectorRound"})
"""Workflows whose first step waits while the disk is nearly full, see ``workers.health.space_guard``."""


class RequireFreeSpace(Interceptor):
    """A client's interceptor: where the engine is on this machine, it refuses what would only wait."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    def intercept_client(self, next: OutboundInterceptor) -> OutboundInterceptor:
        return _Guarded(next, self._settings)


# Any: the SDK's own signatures.
class _Guarded(OutboundInterceptor):
    def __init__(self, next: OutboundInterceptor, settings: Settings) -> None:
        super().__init__(next)
        self._settings = settings

    async def start_workflow(self, input: StartWorkflowInput) -> WorkflowHandle[Any, Any]:
        self._check(input.workflow)
        return await super().start_workflow(input)

    async def start_update_with_start_workflow(
        self, input: StartWorkflowUpdateWithStartInput
    ) -> WorkflowUpdateHandle[Any]:
        self._check(input.start_workflow_input.workflow)
        return await super().start_update_with_start_workflow(input)

    def _check(self, workflow: str) -> None:
        settings = self._settings
        if workflow in SESSIONS and settings.embeds_temporal and not free_space.enough(settings):
            raise PassingError(
                DISK_LOW,
                free_space.message(settings),
                hint=f"free some space on the disk of {str(settings.home)!r}, or lower engine.least_free_mb",
            )


def with_disk_wait(progress: Progress, described: WorkflowExecutionDescription | None) -> Progress:
    """``progress``, with what a run waits for whose first step found too little disk."""
    steps = described.raw_description.pending_activities if described else ()
    if not any(each.last_failure.application_failure_info.type == DISK_LOW for each in steps):
        return progress
    waits = "Waits for free space on the disk of the engine; `penwright doctor` says how much it lacks"
    return progress.model_copy(update={"stage": STUCK, "detail": waits, "code": DISK_LOW})
