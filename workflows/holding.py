"""A document held by one workflow at a time: its lock is a child workflow, whose id is the document's.

The lock ends with its parent, however that ends, and names its holder in its memo. A pipeline takes it by a
step of its own, and lets go before it ends or continues as new::

    case HoldDocument():
        held = await self._hold(step.holder, waits=lambda: self._given.state is not None)

Its state forgets ``held`` when it continues as new, so that ``next_step`` asks for the lock again.
"""

from collections.abc import Callable
from contextlib import suppress
from typing import Final

from temporalio import workflow
from temporalio.exceptions import FailureError, WorkflowAlreadyStartedError
from temporalio.workflow import execute_activity_method as ask

from activities.holding import HOLDER, HoldingActivities
from schemas.holding import DocumentHeld, DocumentHolder, FindHolder
from workflows.options import LOCK_PATIENCE, RECORD, TASK_TIMEOUT
from workflows.steering import wait_until

DOCUMENT_BUSY: Final = "document-busy"
_TRIES: Final = 3
"""Number of times a lock that no run seems to have is asked for."""


@workflow.defn
class DocumentLock:
    """Stands for a document that is held. It does nothing but end when it is told to, or with its parent."""

    def __init__(self) -> None:
        self._is_released = False

    @workflow.run
    async def run(self, holder: DocumentHolder) -> None:
        await workflow.wait_condition(lambda: self._is_released)

    @workflow.signal
    def release(self) -> None:
        """Let go."""
        self._is_released = True


class HoldsDocument:
    """A pipeline that has a document to itself while it runs."""

    _lock: "workflow.ChildWorkflowHandle[DocumentLock, None] | None" = None

    async def _hold(self, holder: DocumentHolder, *, waits: Callable[[], bool]) -> DocumentHeld:
        """Take the document.

        Args:
            waits: asked while another workflow has it; no: that is the answer. A run that continues as new
                waits until it must end.
        """
        tries = 0
        while self._lock is None:
            try:
                self._lock = await _started(holder)
            except WorkflowAlreadyStartedError:
                tries += 1
                busy = await _busy(holder)
                if not waits() and (busy.holder is not None or tries == _TRIES):
                    return busy
                if await wait_until(lambda: False, LOCK_PATIENCE) == "cancelled":
                    return busy
        return DocumentHeld(holder=holder)

    async def _let_go(self) -> None:
        """Release the document; harmless if it is not held."""
        lock, self._lock = self._lock, None
        if lock is None:
            return
        with suppress(FailureError):  # it was ended in Temporal
            await lock.signal(DocumentLock.release)
            await lock


async def _started(holder: DocumentHolder) -> "workflow.ChildWorkflowHandle[DocumentLock, None]":
    return await workflow.start_child_workflow(
        DocumentLock.run,
        holder,
        id=holder.lock_id,
        parent_close_policy=workflow.ParentClosePolicy.TERMINATE,
        task_timeout=TASK_TIMEOUT,
        memo={HOLDER: holder.model_dump(mode="json")},
        static_summary=f"{holder.what} has {holder.novel}/{holder.scene}",
    )


async def _busy(holder: DocumentHolder) -> DocumentHeld:
    found = await ask(HoldingActivities.find_holder, FindHolder(lock_id=holder.lock_id), **RECORD)
    message = busy_message(found.holder, f"{holder.novel}/{holder.scene}")
    return DocumentHeld(code=DOCUMENT_BUSY, message=message, holder=found.holder)


def busy_message(other: DocumentHolder | None, document: str) -> str:
    """Tell a caller that another workflow has the document; None: it is not known which."""
    who = f"the {other.what} {other.workflow_id}" if other else "another workflow"
    return f"{who} has {document} to itself; nothing was changed. Wait until it has ended, or stop it"
