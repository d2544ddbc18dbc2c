"""One notification, sent until every channel has it or the attempts are used up.

It holds no book and no run: the process that wrote the notice goes on at once.
"""

from temporalio import workflow
from temporalio.exceptions import ActivityError, ApplicationError
from temporalio.workflow import execute_activity_method as ask

from activities.notifying import NoticeRecords, SendingActivities
from schemas.base import Progress
from schemas.notices import PIPELINE, Notice, NoticeResult, Undelivered
from workflows.failures import cause_of
from workflows.options import NOTIFY, RECORD, at, notice_queue
from workflows.visibility import show, show_ending


@workflow.defn
class Notification:
    """Runs as ``notice/<op id>``; fails, and says so in the store, when a channel stayed silent."""

    @workflow.run
    async def run(self, notice: Notice) -> NoticeResult:
        show(Progress(pipeline=PIPELINE, subject=notice.subject, stage="send", detail=notice.title))
        queue = notice_queue(workflow.info().task_queue)
        try:
            await ask(SendingActivities.send_notice, notice, **at(queue, NOTIFY))
        except ActivityError as error:
            cause = cause_of(error)
            show_ending(PIPELINE, notice.subject, "failed", cause.code)
            undelivered = Undelivered(notice=notice, reason=cause.message)
            await ask(NoticeRecords.record_undelivered, undelivered, **RECORD)
            raise ApplicationError(cause.message, type=cause.code, non_retryable=True) from error
        show_ending(PIPELINE, notice.subject, "sent", "")
        return NoticeResult(key=notice.key)
