"""A pipeline whose writer is an outside agent: its updates queue messages and wait for the rules' answer."""

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable
from typing import Generic, TypeVar

from temporalio import workflow
from temporalio.exceptions import ActivityError

from penwright.domain import control
from penwright.domain import outside_agent as outside
from penwright.errors import Refused
from schemas.base import BlobRef, Cause
from schemas.intents import Selected
from schemas.outside_session import (
    DeliverProse,
    OutsideInput,
    OutsideState,
    SelectRequest,
    SessionView,
    SessionViewRequest,
)
from workflows.failures import cause_of, error_from
from workflows.steering import Steered

Given = TypeVar("Given", bound=OutsideInput)
State = TypeVar("State", bound=OutsideState)
Message = TypeVar("Message")
Answer = TypeVar("Answer")


class DrivenFromOutside(Steered[Given, State], ABC, Generic[Given, State, Message]):
    """A pipeline that waits for messages of an outside agent in its step ``AwaitAgent``.

    Updates whose answers differ by pipeline (open, close, …) stand in it: each queues its message and returns
    what ``_answered`` waits for.
    """

    def __init__(self, given: Given, state: State, *, op_prefix: str) -> None:
        super().__init__(given, state, op_prefix=op_prefix)
        self._inbox: deque[Message] = deque()

    @abstractmethod
    async def _look_up(self, intent: str) -> Selected:
        """Look an intent up, as it is worded now."""

    @abstractmethod
    def _ending(self) -> Cause:
        """The error of a call that came after the end of the session."""

    def _place(self) -> str:
        """Place of the session, as in ``OpenRequest.place``; empty if it has none."""
        return ""

    @workflow.update
    async def select_active_intent(self, request: SelectRequest) -> Selected:
        """Work for another intent, or again for one that was reworded; answers with what it asks."""
        await workflow.wait_condition(self._has_begun)
        try:
            answer = await self._look_up(request.intent)
        except ActivityError as error:
            raise error_from(cause_of(error)) from error
        self._may_select(request)
        self._state = outside.selected(self._state, answer.pin)
        return answer

    @select_active_intent.validator
    def _may_select(self, request: SelectRequest) -> None:
        self._may_call(request.session, place=request.place, waits=True, writes=False)

    @workflow.query
    def standing(self, request: SessionViewRequest) -> SessionView:
        """The status of the session, for an outside agent."""
        seen = outside.view(self._given, self._state, self._progress(), request.session, workflow.now())
        return seen.model_copy(update={"place": self._place()})

    def _has_begun(self) -> bool:
        return self._state.control.started_at is not None or self._state.control.ended

    def _may_call(self, session: str, *, place: str = "", waits: bool = False, writes: bool = True) -> None:
        """Reject the call of an agent that does not hold this session, or not now."""
        if refusal := outside.refusal(
            self._given,
            self._state,
            session,
            waits=waits,
            writes=writes,
            here=self._place(),
            place=place,
        ):
            raise Refused(*refusal)

    def _may_deliver(self, delivery: DeliverProse) -> None:
        """Reject other prose than what is in hand; the same prose again is a repeated call."""
        self._may_call(delivery.session, place=delivery.place)
        if self._delivered() not in (None, delivery.written.prose):
            raise Refused(
                "already-delivered", "this session already has its prose; open a new session for more"
            )

    def _delivered(self) -> BlobRef | None:
        """The prose that is in hand, or waits to be taken."""
        waiting = (each.written.prose for each in self._inbox if isinstance(each, DeliverProse))
        return self._state.prose or next(waiting, None)

    async def _answered(self, answer: Callable[[], Answer | Cause | None]) -> Answer:
        """Wait for the answer to a call.

        Args:
            answer: the rules' answer in the present state; a cause if the call is denied, None to wait.

        Raises:
            ApplicationError: the denial, or how the session ended before there was an answer.
        """
        await workflow.wait_condition(lambda: answer() is not None or self._state.control.ended)
        result = answer()
        if result is None or isinstance(result, Cause):
            raise error_from(result or self._ending())
        return result

    async def _message(self) -> Message | None:
        """Take the agent's next message; None if the session must end first."""
        await self._until(lambda: bool(self._inbox))
        if control.must_end(self._state) or not self._inbox:
            return None
        return self._inbox.popleft()
