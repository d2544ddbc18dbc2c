"""The yardstick of the agent loop: the same activities in the same order, written out as a plain workflow."""

from datetime import datetime

from temporalio import workflow
from temporalio.workflow import execute_activity_method as ask

from activities.agent_run import AgentRunActivities
from activities.agents.tools import AgentToolActivities
from activities.agents.turn import AgentTurnActivities
from schemas.agent import AgentMessage, SerializedState
from schemas.agent_run import (
    AgentRunInput,
    AgentRunResult,
    CallModel,
    EndRun,
    NewMessage,
    Prepared,
    PrepareRun,
    RunToolCall,
    ToolCallResult,
    TranscriptEntry,
)
from schemas.base import Effect, OpId
from workflows.options import MODEL_CALL, RECORD, TOOL_CALL


@workflow.defn
class BareAgent:
    """A turn, a call, a turn, a call: no rule is asked, and nothing is remembered but the head."""

    @workflow.run
    async def run(self, given: AgentRunInput, prompt_digest: str, calls: int) -> None:
        """Make ``calls`` tool calls, each after a turn of its own, then a last turn that answers."""
        self._given, self._steps, self._told = given, 0, 0
        prepared = await ask(AgentRunActivities.prepare_run, self._preparing(), **RECORD)
        head, new = None, self._said("user", given.task)
        for number in range(1, calls + 1):
            turn = self._turn(prepared, prompt_digest, new).model_copy(update={"head": head})
            answer = await ask(AgentTurnActivities.call_model, turn, **MODEL_CALL)
            call = answer.calls[0]
            order = self._order(number, call.id, call.name)
            carried: ToolCallResult = await ask(AgentToolActivities.carry_out, order, **TOOL_CALL)
            head, new = answer.head, self._said("tool", "", carried, call.id)
        turn = self._turn(prepared, prompt_digest, new).model_copy(update={"head": head})
        answer = await ask(AgentTurnActivities.call_model, turn, **MODEL_CALL)
        await ask(AgentRunActivities.end_run, self._ending(answer.text), **RECORD)

    def _preparing(self) -> PrepareRun:
        return PrepareRun(**self._who(), params={}, override_tag="", flags={})

    def _turn(self, prepared: Prepared, digest: str, new: tuple[NewMessage, ...]) -> CallModel:
        return CallModel(
            **self._who(),
            params={},
            flags={},
            pins=prepared.pins,
            model_role=self._given.model_role,
            state=SerializedState(),
            prompt_digest=digest,
            head=None,
            new=new,
            kind="work",
            max_output_tokens=self._given.limits.turn_tokens,
            entries=self._entries(),
        )

    def _order(self, number: int, call_id: str, tool: str) -> RunToolCall:
        return RunToolCall(
            **self._who(key=f"{self._given.run_id}/call/{number}"),
            number=number,
            call_id=call_id,
            tool=tool,
            arguments={"path": "a"},
            state=SerializedState(),
        )

    def _ending(self, text: str) -> EndRun:
        given = self._given
        result = AgentRunResult(
            outcome="completed", agent=given.agent, run_id=given.run_id, subject=given.subject, output=text
        )
        return EndRun(effect=self._effect(""), result=result, head=None, new=(), entries=self._entries())

    def _who(self, key: str = "") -> dict[str, object]:
        given = self._given
        return {
            "effect": self._effect(key),
            "agent": given.agent,
            "run_id": given.run_id,
            "subject": given.subject,
        }

    def _effect(self, key: str) -> Effect:
        self._steps += 1
        return Effect(op_id=OpId(key or f"{self._given.run_id}#{self._steps}"), issued_at=self._now())

    def _said(
        self, role: str, text: str, carried: ToolCallResult | None = None, call_id: str = ""
    ) -> tuple[NewMessage, ...]:
        message = AgentMessage.model_validate({"role": role, "content": text, "tool_call_id": call_id})
        return (NewMessage(message=message, text=carried.text_at if carried else None),)

    def _entries(self) -> tuple[TranscriptEntry, ...]:
        """Entries of the loop between two turns: an answer, the start and the end of a call."""
        first, self._told = self._told + 1, self._told + 3
        detail = {"number": first, "tool": "read_page", "kind": "succeeded"}
        return tuple(
            TranscriptEntry(source="main", sequence=n, type="call-ended", at=self._now(), detail=detail)
            for n in range(first, first + 3)
        )

    def _now(self) -> datetime:
        return workflow.now()
