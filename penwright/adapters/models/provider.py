"""The interface of providers, and the check of a reply once it is stored."""

from collections.abc import Awaitable, Callable
from typing import Protocol

from penwright.domain.models.refusal import declines
from penwright.domain.models.thought import without_thought
from penwright.domain.models.thought_limit import is_lost_in_thought, second_answer, with_more_room
from penwright.errors import ModelFinal, ModelMistake
from schemas.model import ModelRequest, ModelResponse

Ask = Callable[[ModelRequest], Awaitable[ModelResponse]]
WithRoom = Callable[[ModelRequest], Awaitable[ModelRequest]]
"""Tells a request the room for the model's thought on top of its answer, and the model's window."""
Hear = Callable[[str], None]
"""Takes the next piece of a text; never blocks."""
LARGEST_REPLY = 8 * 1024 * 1024
"""Bytes; larger than the reply of any book session."""
_QUOTED = 300
"""Characters of a refusal that are told."""
LARGEST_TURN = 1024 * 1024
"""Bytes of text and calls in one answer of an agent loop; every later call sends them again."""


class Provider(Protocol):
    """Answers requests. An empty reply or a refusal is an answer too, also one that costs nothing."""

    async def ask(self, request: ModelRequest, hear: Hear | None = None) -> ModelResponse:
        """Make one call without retries; raises ``ModelUnavailable`` or ``ModelFinal`` without an answer.

        ``hear`` is called with each piece of the text while it comes, where the vendor sends pieces; together
        they are the text of the answer. A piece of something else, such as thought, is an empty one.
        """
        ...


async def unchanged(request: ModelRequest) -> ModelRequest:
    """Give no room for thought: of models that do not think."""
    return request


async def whole_answer(request: ModelRequest, ask: Ask, with_room: WithRoom) -> ModelResponse:
    """Ask; a model that used its answer's room for thought once more, with more of it, and what both cost.

    Raises:
        ModelFinal: ``thought-past-limit``; or what ``ask`` raises.
    """
    answer = await ask(request)
    if not is_lost_in_thought(answer):
        return answer
    again = with_more_room(await with_room(request))
    return second_answer(again, answer, await ask(again))


def checked_answer(request: ModelRequest, response: ModelResponse) -> ModelResponse:
    """Return ``response`` without thought in its text, if it is a valid answer to ``request``.

    Within an agent loop, any answer is valid (empty, an unknown tool, arguments that are not JSON, a
    duplicate id), unless it is too large to be sent again.

    Raises:
        ModelFinal: ``model-refused``: the provider filtered the answer, or the model declined formally.
        ModelMistake: ``model-refused``: the model declined in words; ``turn-too-large``: more than
            ``LARGEST_TURN`` bytes within a loop; both with the usage in the details. ``empty-reply``: only
            white space, outside a loop.
    """
    if response.finish_reason == "refusal":
        raise _refused(response)
    answer = response.model_copy(update={"text": without_thought(response.text)})
    if not answer.tool_calls and declines(answer.text):
        told = f"The reply declined{_quoted(answer.text)}. Answer the request in full."
        raise _mistake(response, "model-refused", told)
    if request.within_loop:
        return _sized(answer)
    if not answer.text.strip():
        raise ModelMistake("empty-reply", "The reply was empty. Answer the request in full.")
    return answer


def _refused(response: ModelResponse) -> ModelFinal:
    first = response.instead_of
    both = f"Model {first!r} refused to answer or was away, and its fallback {response.model!r} refused"
    one = f"Model {response.model!r} refused to answer"
    return ModelFinal(
        "model-refused",
        f"{both if first else one}{_quoted(response.text)}. Change the outline or the instruction "
        "it objects to, or give the role another model"
        f"{'' if first else ', or a `fallback` in its profile'}.",
        model=response.model,
    )


def _quoted(text: str) -> str:
    """A quotation as the end of a sentence about it; empty for an empty text."""
    said = " ".join(without_thought(text).split())[:_QUOTED]
    return f": “{said}”" if said else ""


def _sized(response: ModelResponse) -> ModelResponse:
    called = "".join(call.id + call.name + call.arguments for call in response.tool_calls)
    size = len(response.text.encode()) + len(called.encode())
    if size <= LARGEST_TURN:
        return response
    raise _mistake(
        response,
        "turn-too-large",
        f"The reply was {size} bytes long, more than the {LARGEST_TURN} that are read; none of it was used "
        "and no tool was called. Answer again, much shorter.",
    )


def _mistake(response: ModelResponse, code: str, message: str) -> ModelMistake:
    """The failure of an answer that was paid for, with what it used."""
    usage = response.usage
    return ModelMistake(
        code,
        message,
        input_tokens=str(usage.input_tokens),
        output_tokens=str(usage.output_tokens),
        cost_micros="" if usage.cost_micros is None else str(usage.cost_micros),
    )
