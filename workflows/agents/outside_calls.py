"""Calls of an outside harness, on their way to a run and back."""

from collections.abc import Callable

from temporalio import workflow

from penwright.agents.loop import outside
from penwright.agents.loop.run import Run
from penwright.errors import Refused
from schemas.agent_run import OutsideAnswer, OutsideCall


class OutsideCalls:
    """Calls that wait, and answers that are not fetched yet.

    Not part of the carried state: a run continues as new only while no caller waits.
    """

    def __init__(self) -> None:
        self._waiting: list[OutsideCall] = []
        self._taken: set[str] = set()
        self._answers: dict[str, OutsideAnswer] = {}

    async def answered(self, call: OutsideCall, has_ended: Callable[[], bool]) -> OutsideAnswer:
        """Queue a call and wait for its outcome.

        Raises:
            Refused: ``run-ended``, if the run was over before it was made.
        """
        self._waiting.append(call)
        await workflow.wait_condition(lambda: call.id in self._answers or has_ended())
        if (answer := self._answers.pop(call.id, None)) is None:
            raise Refused("run-ended", "the run was over before the call was made; nothing was done")
        return answer

    @property
    def is_waiting(self) -> bool:
        """Whether there is a call to take."""
        return bool(self._waiting)

    def take(self) -> OutsideCall:
        """The call that has waited longest."""
        call = self._waiting.pop(0)
        self._taken.add(call.id)
        return call

    def hand_out(self, run: Run) -> None:
        """Hand out the outcomes that the newest step has brought."""
        for call_id in sorted(self._taken):
            if (answer := outside.answer_to(run, call_id)) is not None:
                self._answers[call_id] = answer
                self._taken.discard(call_id)
