"""What a book session asks of the writer: its prose, stored before anybody reads it."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from temporalio import activity

from penwright.domain.session_reply import SessionReply, is_short, parse_continuation, parse_session_reply
from penwright.errors import ModelFinal, ModelMistake, PermanentError
from penwright.ports import Blobs, LanguageModel
from penwright.roles import ink_writer
from penwright.roles.ink_writer import SessionPrompt
from schemas.base import BlobRef, OpId
from schemas.book import SessionPayload
from schemas.book_session import WriteProse, Written
from schemas.model import BudgetScope, ModelRequest, ModelResponse

_SHORTEST_TIMEOUT_S = 120.0
_LONGEST_TIMEOUT_S = 420.0
"""At most four calls are made, and together they stay below the activity's own timeout."""
_SECONDS_PER_TOKEN = 0.05


@dataclass(frozen=True)
class WritingActivities:
    """Asks of the model worker. A repeated attempt pays nothing for answers that have arrived."""

    model: LanguageModel
    blobs: Blobs

    @activity.defn
    async def write_prose(self, order: WriteProse) -> Written:
        """This session's prose, at most four calls: the reply, one repetition, one continuation of either.

        Raises:
            ModelFinal: ``unusable-reply`` when the repetition could not be used either.
        """
        payload = SessionPayload.model_validate_json(await asyncio.to_thread(self.blobs.get, order.payload))
        writing = _Writing(self.model, order, payload)
        reply = await writing.session()
        prose = await asyncio.to_thread(self.blobs.put, reply.prose.encode())
        if reply.repairs:
            activity.logger.info("repaired the writer's reply: %s", "; ".join(reply.repairs))
        return _written(reply, prose, payload, writing.answers)


@dataclass(frozen=True)
class _Writing:
    """One session's conversation with the writer."""

    model: LanguageModel
    order: WriteProse
    payload: SessionPayload
    answers: list[ModelResponse] = field(default_factory=list)

    @property
    def wanted(self) -> int:
        return ink_writer.words_wanted(self.payload)

    async def session(self) -> SessionReply:
        """A usable reply, asked for twice at most."""
        prompt = ink_writer.render(self.payload)
        said = ""
        try:
            said = await self._ask(prompt, "")
            return await self._full(prompt, said, "")
        except ModelMistake as mistake:
            again = ink_writer.ask_again(prompt, said, mistake.message)
        try:
            said = await self._ask(again, "/again")
            return await self._full(again, said, "/again")
        except ModelMistake as mistake:
            raise ModelFinal(
                "unusable-reply",
                f"The writer's model gave no usable prose in two replies: {mistake.message} "
                "Nothing was changed. Try it with `penwright models test`, or give the role another model.",
                problem=mistake.code,
            ) from mistake

    async def _full(self, prompt: SessionPrompt, said: str, suffix: str) -> SessionReply:
        """The reply in ``said``; when it came out short, with one continuation."""
        reply = parse_session_reply(
            said, words_wanted=self.wanted, instructions=self.payload.current_review.instructions
        )
        if not is_short(reply, self.wanted):
            return reply
        onward = ink_writer.go_on(prompt, said, written=reply.new_words, wanted=self.wanted)
        try:
            return reply.with_more(parse_continuation(await self._ask(onward, f"{suffix}/continue")))
        except (ModelMistake, PermanentError):
            # A short session is a session; what was written is not thrown away for what was not.
            return reply

    async def _ask(self, prompt: SessionPrompt, suffix: str) -> str:
        effect = self.order.effect
        request = ModelRequest(
            effect=effect.model_copy(update={"op_id": OpId(f"{effect.op_id}{suffix}")}),
            role=ink_writer.ROLE,
            messages=prompt.messages,
            max_output_tokens=prompt.max_output_tokens,
            timeout_s=_timeout_s(prompt.max_output_tokens),
            scope=BudgetScope(
                run=f"book/{self.order.book_id}#{self.order.session}", subject=self.order.book_id
            ),
        )
        answer = await self.model.complete(request)
        self.answers.append(answer)
        return answer.text


def _timeout_s(tokens: int) -> float:
    return min(_LONGEST_TIMEOUT_S, max(_SHORTEST_TIMEOUT_S, tokens * _SECONDS_PER_TOKEN))


def _written(
    reply: SessionReply, prose: BlobRef, payload: SessionPayload, answers: Sequence[ModelResponse]
) -> Written:
    return Written(
        prose=prose,
        words=reply.words,
        summary=reply.summary,
        arcs_closed=reply.arcs_closed,
        human_edits=payload.human_edits,
        model=answers[-1].model,
        demo=any(answer.demo for answer in answers),
        cost_micros=sum(answer.usage.cost_micros or 0 for answer in answers),
        unknown_prices=sum(answer.usage.cost_micros is None for answer in answers),
    )
