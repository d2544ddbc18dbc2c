"""A model turn of an agent: render the prompt, call the model, store the reply before it is used."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import JsonValue
from temporalio import activity

from activities.agents.chain_recovery import recover_chain
from activities.agents.conversation import Conversation
from activities.agents.transcripts import Transcripts, run_of
from activities.permit_waits import failed_use, say_failed, waited_s
from penwright.agents.calls.turn_size import fitted_calls, history_part, is_long_text
from penwright.agents.definition.agent import AgentDefinition
from penwright.agents.definition.output import dumped, final_answer
from penwright.agents.definition.reply_reading import RawReply
from penwright.agents.loop.budgeting import add_usage
from penwright.agents.loop.turn_request import Turn, turn_request
from penwright.agents.prompt.overrides import texts_of
from penwright.agents.prompt.parameters import read
from penwright.agents.prompt.rendering import Rendered, render
from penwright.agents.state import load_state
from penwright.errors import ChainBroken, ModelMistake, ModelUnavailable, PassingError
from penwright.ports.blobs import Blobs
from penwright.ports.models import LanguageModel
from penwright.roles import catalogue
from schemas.agent import AgentMessage
from schemas.agent_run import CallModel, ChainHead, ModelAnswered, RunUsage
from schemas.base import BlobRef, Cause
from schemas.model import BudgetScope, ModelRequest, ModelResponse
from schemas.overrides import ResolvedOverrides


def rendered_for(request: CallModel, blobs: Blobs) -> Rendered:
    """The prompt and messages of the requested turn."""
    definition = catalogue.find(request.agent).definition
    kept = request.pins.overrides_at
    pinned = ResolvedOverrides() if kept is None else ResolvedOverrides.model_validate_json(blobs.get(kept))
    return render(
        definition,
        read(definition, request.params),
        load_state(request.state, definition.registry),
        texts_of(pinned),
    )


@dataclass(frozen=True)
class AgentTurnActivities:
    """Activities for the model worker. A repeated attempt pays nothing for an answer that has arrived."""

    model: LanguageModel
    conversation: Conversation
    transcripts: Transcripts

    @activity.defn
    async def call_model(self, request: CallModel) -> ModelAnswered:
        """One turn: the new messages are appended, the model is asked, its answer is appended."""
        answered = await self._turn(request)
        return answered.model_copy(update={"waited_s": waited_s()})

    async def _turn(self, request: CallModel) -> ModelAnswered:
        await asyncio.to_thread(self.transcripts.keep, request.run_id, request.subject, request.entries)
        try:
            asked = await asyncio.to_thread(self._asked, request)
        except ChainBroken as broken:
            await recover_chain(self.conversation, request.run_id, request.head, broken)
            asked = await asyncio.to_thread(self._asked, request)
        try:
            response = await self.model.complete(asked.request)
        except ModelMistake as mistake:
            return _useless(asked, mistake)
        except ModelUnavailable as away:
            raise _counted(away) from away
        return await asyncio.to_thread(self._heard, request, asked, response)

    def _asked(self, request: CallModel) -> "_Asked":
        definition = catalogue.find(request.agent).definition
        rendered = rendered_for(request, self.conversation.blobs)
        if rendered.digest != request.prompt_digest:
            raise PassingError(
                "other-build",
                f"this worker renders another prompt for {request.agent!r} than its run was started with; "
                "a worker of the run's own build takes it, or restart the workers of one build",
            )
        head = self.conversation.append(request.run_id, request.head, request.new)
        messages = self.conversation.chains.messages(head) if head else ()
        prompt = self.conversation.blobs.put(rendered.text.encode("utf-8", "surrogatepass"))
        return _Asked(turn_request(_turn(definition, rendered, request, messages)), prompt, head)

    def _heard(self, request: CallModel, asked: "_Asked", response: ModelResponse) -> ModelAnswered:
        calls, cut = fitted_calls(response.tool_calls)
        failed = failed_use()
        reply = AgentMessage(
            role="assistant", content=response.text, tool_calls=calls, thought=response.thought
        )
        read = self._read(request, response)
        long = is_long_text(response.text) or read is not None
        whole = response.text.encode("utf-8", "surrogatepass")
        answered = ModelAnswered(
            head=self.conversation.chains.append(asked.head, (reply,)),
            prompt_at=asked.prompt,
            text="" if read is not None else history_part(response.text) if long else response.text,
            text_at=self.conversation.blobs.put(whole) if long else None,
            thought_at=self.conversation.kept_thought(response.thought),
            calls=calls,
            cut_calls=cut,
            finish_reason=response.finish_reason,
            input_tokens=response.usage.input_tokens,
            output_tokens=response.usage.output_tokens,
            cached_tokens=response.usage.cached_tokens,
            thought_tokens=response.usage.thought_tokens,
            cost_micros=response.usage.cost_micros,
            model=response.model,
            provider=response.provider,
            instead_of=response.instead_of,
            cut=response.cut,
            demo=response.demo,
            failed_use=failed,
            # An answer that an earlier attempt stored is the answer of that attempt.
            failed_attempts=max(0, activity.info().attempt - 1 - failed.model_calls - response.repeated),
        )
        return answered if read is None else answered.model_copy(update=read)

    def _read(self, request: CallModel, response: ModelResponse) -> dict[str, JsonValue | Cause] | None:
        """Read the answer, or the cause why it is none; None where it is read later, or there is none."""
        definition = catalogue.find(request.agent).definition
        if definition.reads is None or (response.tool_calls and request.kind != "last"):
            return None
        arrival = RawReply(
            text=response.text,
            params=tuple(read(definition, request.params).given.values()),
            before=request.before,
            model=response.model,
            demo=response.demo,
            blobs=self.conversation.blobs,
            cut_off=response.finish_reason == "length",
        )
        try:
            return {"answer": dumped(definition.reads(arrival))}
        except ModelMistake as mistake:
            return {"unread": Cause(code=mistake.code, message=mistake.message, details=mistake.details)}


@dataclass(frozen=True, slots=True)
class _Asked:
    """A request to a model, and by what reference its texts are stored."""

    request: ModelRequest
    prompt: BlobRef
    head: ChainHead | None


def _counted(away: ModelUnavailable) -> ModelUnavailable:
    """The failure with what all attempts have used, this one among them; the next one is told, too."""
    this = {
        name: int(away.details.get(name) or 0) for name in ("input_tokens", "output_tokens", "cost_micros")
    }
    use = add_usage(failed_use(), RunUsage(model_calls=1, **this))
    say_failed(use)
    counted = use.model_dump(include={"model_calls", *this})
    details = {**away.details, **{name: str(number) for name, number in counted.items()}}
    return ModelUnavailable(away.code, away.message, retry_after_s=away.retry_after_s, **details)


def _useless(asked: _Asked, mistake: ModelMistake) -> ModelAnswered:
    """A reply that was paid for and cannot be kept; the chain stays as it was."""
    price = mistake.details.get("cost_micros")
    return ModelAnswered(
        head=asked.head,
        prompt_at=asked.prompt,
        mistake=Cause(code=mistake.code, message=mistake.message),
        input_tokens=int(mistake.details.get("input_tokens") or 0),
        output_tokens=int(mistake.details.get("output_tokens") or 0),
        cost_micros=int(price) if price else None,
    )


def _turn(
    definition: AgentDefinition, rendered: Rendered, request: CallModel, messages: Sequence[AgentMessage]
) -> Turn:
    return Turn(
        effect=request.effect,
        role=request.model_role,
        scope=BudgetScope(run=run_of(request.run_id), subject=request.subject),
        system=rendered.text,
        messages=messages,
        offers=rendered.offers,
        needs_tools=catalogue.find(request.agent).needs_tools,
        answer=final_answer(definition.asks_for) if definition.asks_for else None,
        kind=request.kind,
        max_output_tokens=request.max_output_tokens,
        context_tokens=request.context_tokens,
        stream_to=request.stream_to,
    )
