"""A turn of an agent's model: rendered here, asked, and kept before anybody reads it."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from temporalio import activity

from activities.agent_run import Conversation, Transcripts, run_of
from penwright.agents.calling import LONGEST_ARGUMENTS
from penwright.agents.concluding import LONGEST_TOLD
from penwright.agents.definition import AgentDefinition
from penwright.agents.memory import registry_of
from penwright.agents.output import final_answer
from penwright.agents.overrides import texts_of
from penwright.agents.parameters import read
from penwright.agents.rendering import Rendered, render
from penwright.agents.state import from_rest
from penwright.agents.turn_request import Turn, turn_request
from penwright.errors import ModelMistake, PassingError
from penwright.ports import LanguageModel
from penwright.roles import catalogue
from schemas.agent import AgentMessage, ToolCall
from schemas.agent_run import CallModel, ChainHead, ModelAnswered
from schemas.model import BudgetScope, ModelRequest, ModelResponse, Usage
from schemas.overrides import ResolvedOverrides

_NAME = 64
"""Signs of a tool's name that are carried; no declared one is longer."""


@dataclass(frozen=True)
class AgentTurnActivities:
    """Asks of the model worker. A repeated attempt pays nothing for an answer that has arrived."""

    model: LanguageModel
    conversation: Conversation
    transcripts: Transcripts

    @activity.defn
    async def call_model(self, order: CallModel) -> ModelAnswered:
        """One turn: the new messages are appended, the model is asked, its answer is appended."""
        await asyncio.to_thread(self.transcripts.keep, order.run_id, order.subject, order.entries)
        head, request = await asyncio.to_thread(self._asked, order)
        try:
            response = await self.model.complete(request)
        except ModelMistake as mistake:
            response = _too_large(mistake)
        return await asyncio.to_thread(self._heard, head, response)

    def _asked(self, order: CallModel) -> tuple[ChainHead | None, ModelRequest]:
        definition = catalogue.find(order.agent).definition
        rendered = self._rendered(definition, order)
        if rendered.digest != order.prompt_digest:
            raise PassingError(
                "other-build",
                f"this worker renders another prompt for {order.agent!r} than its run was started with; "
                "a worker of the run's own build takes it, or restart the workers of one build",
            )
        head = self.conversation.append(order.head, order.new)
        messages = self.conversation.chains.messages(head) if head else ()
        return head, turn_request(_turn(definition, rendered, order, messages))

    def _rendered(self, definition: AgentDefinition, order: CallModel) -> Rendered:
        kept = order.pins.overrides_at
        pinned = ResolvedOverrides()
        if kept is not None:
            pinned = ResolvedOverrides.model_validate_json(self.conversation.blobs.get(kept))
        return render(
            definition,
            read(definition, order.params),
            from_rest(order.state, registry_of(definition)),
            texts_of(pinned),
        )

    def _heard(self, head: ChainHead | None, response: ModelResponse) -> ModelAnswered:
        said = AgentMessage(role="assistant", content=response.text, tool_calls=response.tool_calls)
        long = len(response.text.encode("utf-8", "surrogatepass")) > LONGEST_TOLD
        whole = response.text.encode("utf-8", "surrogatepass")
        calls, cut = _carried(response.tool_calls)
        return ModelAnswered(
            head=self.conversation.chains.append(head, (said,)),
            text=response.text[: LONGEST_TOLD // 4] if long else response.text,
            text_at=self.conversation.blobs.put(whole) if long else None,
            calls=calls,
            cut_calls=cut,
            finish_reason=response.finish_reason,
            input_tokens=response.usage.input_tokens,
            output_tokens=response.usage.output_tokens,
            cost_micros=response.usage.cost_micros,
            model=response.model,
            provider=response.provider,
            demo=response.demo,
        )


def _too_large(mistake: ModelMistake) -> ModelResponse:
    """A reply that was paid for and is too long to be kept: for the loop, one that was cut off."""
    used = {name: int(mistake.details.get(name) or 0) for name in ("input_tokens", "output_tokens")}
    price = mistake.details.get("cost_micros")
    return ModelResponse(
        text=f"[{mistake.message}]",
        model="",
        provider="",
        finish_reason="length",
        usage=Usage(**used, cost_micros=int(price) if price else None),
    )


def _turn(
    definition: AgentDefinition, rendered: Rendered, order: CallModel, messages: Sequence[AgentMessage]
) -> Turn:
    return Turn(
        effect=order.effect,
        role=order.model_role,
        scope=BudgetScope(run=run_of(order.run_id), subject=order.subject),
        system=rendered.text,
        messages=messages,
        offers=rendered.offers,
        answer=final_answer(definition.output) if definition.output else None,
        kind=order.kind,
        max_output_tokens=order.max_output_tokens,
    )


def _carried(calls: Sequence[ToolCall]) -> tuple[tuple[ToolCall, ...], tuple[int, ...]]:
    """The calls as a history takes them, and which lost their arguments to that."""
    cut = tuple(
        number
        for number, call in enumerate(calls)
        if len(call.arguments.encode("utf-8", "surrogatepass")) > LONGEST_ARGUMENTS
    )
    return tuple(_short(call, number in cut) for number, call in enumerate(calls)), cut


def _short(call: ToolCall, cut: bool) -> ToolCall:
    arguments = "" if cut else call.arguments
    return ToolCall(id=call.id[:_NAME], name=call.name[:_NAME], arguments=arguments)
