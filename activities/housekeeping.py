"""The housekeeping of the store: deleting what is old, unless a run under way needs it."""

import asyncio
from dataclasses import dataclass

from temporalio import activity

from activities.under_way import under_way
from penwright.domain.control import shown_outcome
from penwright.domain.housekeeping import PIPELINE, SUBJECT
from penwright.ports.records import Records
from penwright.ports.retention import Retention
from schemas.housekeeping import (
    ClearStore,
    EndHousekeeping,
    FindQueues,
    QueuesFound,
    RetentionDays,
    StoreCleared,
)
from schemas.records import Event, RunRow


@dataclass(frozen=True)
class HousekeepingActivities:
    """Deletes, and records what was deleted. ``days``: how long rows are kept."""

    retention: Retention
    records: Records
    days: RetentionDays

    @activity.defn
    async def clear_store(self, request: ClearStore) -> StoreCleared:
        """Whatever is interrupted is done the next time: nothing is remembered of an attempt."""
        living = await under_way(activity.client())
        for unread in living.unread:
            activity.logger.warning("texts and messages are not deleted: %s", unread)
        tables = await asyncio.to_thread(lambda: tuple(self.retention.clear(self.days, living)))
        return StoreCleared(tables=tables)

    @activity.defn(no_thread_cancel_exception=True)
    def find_queues(self, request: FindQueues) -> QueuesFound:
        """Every registered book and novel names the queue of its host."""
        rows = (*self.records.books(), *self.records.books("novel"))
        return QueuesFound(queues=tuple(sorted({row.queue for row in rows})))

    @activity.defn(no_thread_cancel_exception=True)
    def end_housekeeping(self, request: EndHousekeeping) -> None:
        """A row and an event of how it went."""
        result, run = request.result, request.run
        told = tuple(each for each in result.tables if each.rows or each.failed)
        detail = result.model_copy(update={"tables": told}).model_dump(mode="json")
        row = RunRow(
            run=run,
            pipeline=PIPELINE,
            subject=SUBJECT,
            stage="ended",
            outcome=shown_outcome(result.outcome, result.code),
            started_at=request.started_at,
            ended_at=request.effect.issued_at,
            detail=detail,
        )
        event = Event(
            run=run,
            subject=SUBJECT,
            kind="housekeeping.ended",
            at=request.effect.issued_at,
            op_id=request.effect.op_id,
            data=detail,
        )
        self.records.note(row, [event])
