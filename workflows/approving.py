"""Asking a person inside a pipeline: the update that answers, and the waiting for it."""

from abc import ABC
from typing import TypeVar

from temporalio import workflow
from temporalio.exceptions import ActivityError

from penwright.domain import approvals
from penwright.errors import Refused
from schemas.control import ApprovableState
from schemas.intents import ApprovalDecision, ApprovalRequest
from workflows.steering import Given, Steered

Asking = TypeVar("Asking", bound=ApprovableState)


class Approvable(Steered[Given, Asking], ABC):
    """A pipeline that may ask a person to approve what the gate denied.

    Its rules ask with ``approvals.asked`` and return ``AwaitDecision`` as a step until there is a decision.
    """

    @workflow.update
    async def decide_approval(self, decision: ApprovalDecision) -> ApprovalRequest:
        """Approve or deny the change that waits; answers with what was decided about."""
        request = self._state.asked
        assert request is not None, "the validator has seen it"
        self._state = approvals.decided(self._state, decision)
        return request

    @decide_approval.validator
    def _may_decide(self, decision: ApprovalDecision) -> None:
        if self._state.control.ended:
            raise Refused("no-active-session", "the session is over; nothing was changed")
        if refusal := approvals.unanswerable(self._state, decision, workflow.now()):
            raise Refused(*refusal)

    async def _announced(
        self, telling: "workflow.ActivityHandle[None]", decision: ApprovalDecision | None
    ) -> Asking:
        """Wait until people are notified; a decision does not wait for a channel that hangs.

        Args:
            decision: what they are notified of; None if that is the request.
        """
        if decision is None:
            await self._until(lambda: telling.done() or self._state.decision is not None)
            if not telling.done():
                telling.cancel()
        try:
            await telling
        except ActivityError:
            if decision is not None or approvals.is_waiting(approvals.answered(self._state)):
                raise
        return approvals.announced(self._state, decision)

    async def _decision(self) -> Asking:
        """Wait until a person has decided, or the time is over; a kill decides as well."""
        await self._until(lambda: self._state.decision is not None)
        return approvals.answered(self._state)
