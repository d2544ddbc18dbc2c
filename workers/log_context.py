"""What every line says that is logged during an activity: which run, which activity, which attempt."""

from typing import Any

from temporalio import activity
from temporalio.worker import ActivityInboundInterceptor, ExecuteActivityInput, Interceptor


class Journal(Interceptor):
    """Adds workflow id, activity and attempt to every line an activity logs."""

    def intercept_activity(self, next: ActivityInboundInterceptor) -> ActivityInboundInterceptor:
        return _ActivityJournal(next)


class _ActivityJournal(ActivityInboundInterceptor):
    # Any: the SDK's own signature.
    async def execute_activity(self, input: ExecuteActivityInput) -> Any:
        # Imported here: clients share this class with the workers, and have no use for a logger.
        from structlog.contextvars import bound_contextvars

        info = activity.info()
        with bound_contextvars(
            workflow_id=info.workflow_id, activity=info.activity_type, attempt=info.attempt
        ):
            return await super().execute_activity(input)
