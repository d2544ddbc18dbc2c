"""The yardstick: a workflow of activities that do nothing, and nothing of ours in it."""

from datetime import timedelta

from temporalio import activity, workflow


@activity.defn
async def do_nothing() -> None:
    """Answer at once."""


@workflow.defn
class Bare:
    """As little as Temporal can do."""

    @workflow.run
    async def run(self, queues: list[str]) -> None:
        """One activity on each queue, one after the other."""
        for queue in queues:
            await workflow.execute_activity(
                do_nothing, task_queue=queue, start_to_close_timeout=timedelta(seconds=60)
            )
