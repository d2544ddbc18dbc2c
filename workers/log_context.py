"""Add run, activity and attempt to every log line of an activity."""

from typing import Any

from temporalio import activity
from temporalio.worker import ActivityInboundInterceptor, ExecuteActivityInput, Interceptor


class LogContext(Interceptor):
    """Adds workflow id, activity and attempt to every line an activity logs."""

    def intercept_activity(self, next: ActivityInboundInterceptor) -> ActivityInboundInterceptor:
        return _ActivityLogContext(next)


class _ActivityLogContext(ActivityInboundInterceptor):
    # Any: the SDK's own signature.
    async def execute_activity(self, input: ExecuteActivityInput) -> Any:
        # Imported here: clients share this class with the workers but do not log.
        from structlog.contextvars import bound_contextvars

        info = activity.info()
        with bound_contextvars(
            workflow_id=info.workflow_id, activity=info.activity_type, attempt=info.attempt
        ):
            return await super().execute_activity(input)
