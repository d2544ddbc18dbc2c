"""Notifications: handed to a workflow of their own, sent by it, and recorded when a channel stays silent.

So no book, run or database slot waits for a channel: what an activity does is to start that workflow.
"""

from dataclasses import dataclass

from temporalio import activity
from temporalio.common import WorkflowIDReusePolicy
from temporalio.exceptions import WorkflowAlreadyStartedError

from penwright.errors import PassingError
from penwright.ports.notices import Notifier
from penwright.ports.records import Records
from schemas.notices import PIPELINE, Notice, Undelivered
from schemas.records import Event, RunRow


class TemporalOutbox:
    """Implements ``Outbox`` inside an activity; the workflow ``Notification`` sends."""

    async def post(self, notice: Notice) -> None:
        """Start the workflow on the queue of this activity; a repeated key starts no other."""
        try:
            await activity.client().start_workflow(
                "Notification",
                notice,
                id=f"notice/{notice.key}",
                task_queue=activity.info().task_queue,
                id_reuse_policy=WorkflowIDReusePolicy.REJECT_DUPLICATE,
                static_summary=notice.title,
            )
        except WorkflowAlreadyStartedError:
            return


class NoOutbox:
    """Implements ``Outbox`` where no channel is set."""

    async def post(self, notice: Notice) -> None:
        """Nothing is sent."""


@dataclass(frozen=True)
class SendingActivities:
    """Sends; served by a queue of its own, so that channels that hang take slots from each other only."""

    notifier: Notifier

    @activity.defn(no_thread_cancel_exception=True)
    def send_notice(self, notice: Notice) -> None:
        """Send to every channel that has not had it; each attempt is bounded by the channels' own limits."""
        failed = self.notifier.notify(title=notice.title, body=notice.body, key=notice.key, data=notice.data)
        if failed:
            raise PassingError("notify-failed", f"could not notify {', '.join(failed)}; trying again")


@dataclass(frozen=True)
class NoticeRecords:
    """Records of notifications that were given up."""

    records: Records

    @activity.defn(no_thread_cancel_exception=True)
    def record_undelivered(self, request: Undelivered) -> None:
        """A row for ``penwright doctor``, and an event."""
        notice = request.notice
        run = f"notice/{notice.key}"
        row = RunRow(
            run=run,
            pipeline=PIPELINE,
            subject=notice.subject,
            stage="ended",
            outcome="failed",
            started_at=notice.at,
            ended_at=notice.at,
            detail={"title": notice.title, "reason": request.reason},
        )
        event = Event(
            run=run,
            subject=notice.subject,
            kind="notification.failed",
            at=notice.at,
            op_id=notice.key,
            data={"title": notice.title, "reason": request.reason},
        )
        self.records.note(row, [event])
