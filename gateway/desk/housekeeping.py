"""Housekeeping by hand: what would go, and one that begins now."""

import asyncio
from datetime import datetime

from temporalio.client import Client, WorkflowFailureError

from activities.under_way import under_way
from penwright.domain import housekeeping as rules
from penwright.errors import PermanentError
from penwright.ports.retention import Retention
from schemas.housekeeping import (
    Cleared,
    HousekeepingInput,
    HousekeepingResult,
    HousekeepingState,
    RetentionDays,
)
from workers.failures import as_error
from workflows.housekeeping import Housekeeping
from workflows.options import TASK_TIMEOUT
from workflows.visibility import at_start


async def look(client: Client, retention: Retention, days: RetentionDays) -> tuple[Cleared, ...]:
    """Preview what a housekeeping would delete now; nothing is changed."""
    living = await under_way(client)
    return await asyncio.to_thread(lambda: tuple(retention.clear(days, living, only_look=True)))


def workflow_id(now: datetime) -> str:
    """Id of a housekeeping that was begun by hand."""
    return f"housekeeping-by-hand-{now:%Y%m%dT%H%M%S.%fZ}"


async def run(client: Client, queue: str, now: datetime) -> HousekeepingResult:
    """Run one, and wait for its end.

    Raises:
        PenwrightError: it failed.
    """
    try:
        return await client.execute_workflow(
            Housekeeping.run,
            HousekeepingInput(),
            id=workflow_id(now),
            task_queue=queue,
            task_timeout=TASK_TIMEOUT,
            static_summary="Housekeeping by hand",
            search_attributes=at_start(rules.progress(HousekeepingInput(), HousekeepingState())),
        )
    except WorkflowFailureError as failure:
        raise as_error(failure) or PermanentError(
            "housekeeping-failed", f"the housekeeping failed: {failure}"
        ) from failure
