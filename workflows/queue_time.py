"""Time a run's activities have waited in queues, asked by the run itself."""

from datetime import datetime, timedelta

from temporalio import workflow
from temporalio.exceptions import ActivityError, is_cancelled_exception
from temporalio.workflow import execute_activity_method as ask

from activities.queue_time import QueueTimeActivities
from schemas.queue_time import AskQueueTime
from workflows.options import RECORD, seconds


async def time_in_queues(since: datetime) -> timedelta:
    """Return it; nothing if it is not known.

    Raises:
        ActivityError: the run was cancelled in Temporal meanwhile.
    """
    try:
        answer = await ask(QueueTimeActivities.time_in_queues, AskQueueTime(since=since), **RECORD)
    except ActivityError as error:
        if is_cancelled_exception(error):
            raise
        workflow.logger.warning("how long it waited in queues is not known: %s", error.cause)
        return seconds(0)
    return seconds(answer.waited_s)
