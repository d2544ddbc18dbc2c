"""Checks that a workflow of this installation ordered an activity: other users can order one directly."""

from typing import Any

from temporalio import activity
from temporalio.worker import ActivityInboundInterceptor, ExecuteActivityInput

from workers.failures import as_failure
from workers.orders.signatures import ORDER_HEADER, Key, digest_of, unsigned
from workers.payloads.values import payloads_of


class ActivityChecks(ActivityInboundInterceptor):
    """Runs an activity if its order is signed, or older than the signatures."""

    def __init__(self, next: ActivityInboundInterceptor, key: Key) -> None:
        super().__init__(next)
        self._key = key

    # Any: the SDK's own signature.
    async def execute_activity(self, input: ExecuteActivityInput) -> Any:
        info = activity.info()
        # Only the worker of a workflow can run a local activity.
        if not (info.is_local or self._is_of_before(info) or self._is_signed(info, input)):
            activity.logger.warning("an activity is refused: %r has no valid signature", info.activity_type)
            raise as_failure(unsigned(f"the activity {info.activity_type!r}"))
        return await super().execute_activity(input)

    def _is_of_before(self, info: activity.Info) -> bool:
        """Whether a workflow ordered it while nothing was signed."""
        since = self._key.since
        return since is None or (info.in_workflow and int(info.scheduled_time.timestamp() * 1e6) < since)

    def _is_signed(self, info: activity.Info, input: ExecuteActivityInput) -> bool:
        order = self._key.open(input.headers, ORDER_HEADER)
        if order is None:
            return False
        arguments = digest_of(payloads_of(input.args) or activity.payload_converter().to_payloads(input.args))
        wanted = ("activity", info.workflow_id, info.workflow_run_id, info.activity_type, arguments)
        return (order.kind, order.workflow, order.id, order.name, order.arguments) == wanted
