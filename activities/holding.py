"""Reading who holds a document."""

from dataclasses import dataclass
from typing import Final

from pydantic import ValidationError
from temporalio import activity
from temporalio.client import WorkflowExecutionStatus
from temporalio.service import RPCError, RPCStatusCode

from schemas.holding import DocumentHolder, FindHolder, HolderFound

HOLDER: Final = "holder"
"""Key of the lock's memo under which its holder stands."""


@dataclass(frozen=True)
class HoldingActivities:
    """Activities for any worker that reaches Temporal."""

    @activity.defn
    async def find_holder(self, request: FindHolder) -> HolderFound:
        """Find the lock's holder; changes nothing."""
        try:
            lock = await activity.client().get_workflow_handle(request.lock_id).describe()
        except RPCError as error:
            if error.status != RPCStatusCode.NOT_FOUND:
                raise
            return HolderFound()
        if lock.status != WorkflowExecutionStatus.RUNNING:
            return HolderFound()
        try:
            return HolderFound(holder=DocumentHolder.model_validate(await lock.memo_value(HOLDER, None)))
        except ValidationError:
            return HolderFound()
