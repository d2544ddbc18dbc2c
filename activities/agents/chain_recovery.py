"""Rebuild messages that the store has lost from the run's workflow histories."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from temporalio import activity
from temporalio.api.enums.v1 import EventType
from temporalio.api.history.v1 import HistoryEvent
from temporalio.client import Client
from temporalio.converter import DataConverter

from activities.agents.conversation import Conversation
from penwright.agents.loop.messages import begun, chained
from penwright.errors import ChainBroken
from schemas.agent import AgentMessage
from schemas.agent_run import CallModel, ChainHead, ModelAnswered, NewMessage, StoreMessages
from schemas.base import Value

Decoded = TypeVar("Decoded", bound=Value)


async def recover_chain(
    conversation: Conversation, run_id: str, head: ChainHead | None, broken: ChainBroken
) -> None:
    """Append the messages up to ``head`` again, from the histories of this activity's run.

    The event loop stays free: texts are read, and messages hashed, in threads, each message once.

    Raises:
        ChainBroken: the given error, if the histories do not lead to ``head`` either.
    """
    replay = _Replay(conversation, run_id, begun(run_id))
    info = activity.info()
    assert info.workflow_id is not None, "agents' activities belong to workflows"
    async for event in _events(activity.client(), info.workflow_id, info.workflow_run_id):
        await replay.read(event, activity.client().data_converter)
        if head is not None and head in (replay.head, replay.unnamed):
            first = replay.beginning if head == replay.head else None
            await asyncio.to_thread(conversation.chains.append, first, replay.messages)
            activity.logger.warning("restored %d lost messages", head.count)
            return
    raise broken


async def _events(client: Client, workflow_id: str, run_id: str | None) -> AsyncIterator[HistoryEvent]:
    """Every event of all runs that continued as this one, oldest first."""
    runs: list[Sequence[HistoryEvent]] = []
    while run_id:
        history = await client.get_workflow_handle(workflow_id, run_id=run_id).fetch_history()
        runs.append(history.events)
        run_id = history.events[0].workflow_execution_started_event_attributes.continued_execution_run_id
    for events in reversed(runs):
        for event in events:
            yield event


@dataclass
class _Replay:
    """The messages in the events read so far."""

    conversation: Conversation
    run_id: str
    """A history may hold the messages of several runs."""
    beginning: ChainHead
    messages: list[AgentMessage] = field(default_factory=list)
    head: ChainHead | None = None
    """Of the messages so far; None before the first."""
    unnamed: ChainHead | None = None
    """The same for a run whose chain began before chains had a beginning of their own."""
    asked: dict[int, HistoryEvent] = field(default_factory=dict)

    async def read(self, event: HistoryEvent, converter: DataConverter) -> None:
        if event.event_type == EventType.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED:
            self.asked[event.event_id] = event
        if event.event_type == EventType.EVENT_TYPE_ACTIVITY_TASK_COMPLETED:
            completed = event.activity_task_completed_event_attributes
            asked = self.asked.pop(completed.scheduled_event_id)
            scheduled = asked.activity_task_scheduled_event_attributes
            if scheduled.activity_type.name == "store_messages":
                stored = await _one(converter, scheduled.input.payloads, StoreMessages)
                if stored.run_id == self.run_id:
                    await asyncio.to_thread(self._append, stored.new)
            if scheduled.activity_type.name == "call_model":
                called = await _one(converter, scheduled.input.payloads, CallModel)
                answer = await _one(converter, completed.result.payloads, ModelAnswered)
                if called.run_id == self.run_id:
                    await asyncio.to_thread(self._append, called.new)
                    await asyncio.to_thread(self._append_answer, answer)

    def _append(self, new: Sequence[NewMessage]) -> None:
        for each in new:
            self._extend(self.conversation.whole(each))

    def _append_answer(self, answer: ModelAnswered) -> None:
        if answer.mistake is None:
            text = self.conversation.text(answer.text_at) if answer.text_at else answer.text
            thought = self.conversation.thought(answer.thought_at)
            self._extend(
                AgentMessage(role="assistant", content=text, tool_calls=answer.calls, thought=thought)
            )

    def _extend(self, message: AgentMessage) -> None:
        self.messages.append(message)
        self.head = chained(self.head or self.beginning, message)
        self.unnamed = chained(self.unnamed, message)


async def _one(converter: DataConverter, payloads: Sequence[object], kind: type[Decoded]) -> Decoded:
    (value,) = await converter.decode(payloads, [kind])  # type: ignore[arg-type]  # protobuf's own sequence
    assert isinstance(value, kind)
    return value
