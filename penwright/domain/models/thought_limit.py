"""Whether a model spent its answer's room on thought, and the second try with more of it."""

from penwright.domain.models.thought import without_thought
from penwright.domain.models.token_estimate import estimate_tokens
from penwright.domain.models.usage import total
from penwright.errors import ModelFinal
from schemas.base import OpId
from schemas.model import ModelRequest, ModelResponse

LEAST_ROOM = 4_096
"""Tokens of thought in a second try, whatever the first had."""
_TIMES = 4


def output_limit(request: ModelRequest) -> int:
    """The most tokens that a call may use: of the answer, and of the thought before it."""
    return request.max_output_tokens + request.thought_tokens


def is_lost_in_thought(response: ModelResponse) -> bool:
    """Whether the answer was cut at its longest, and most of what it used was thought."""
    if response.finish_reason != "length" or response.tool_calls:
        return False
    answered = estimate_tokens(without_thought(response.text))
    return response.usage.output_tokens - answered > answered


def with_more_room(request: ModelRequest) -> ModelRequest:
    """The same request once more, with four times the room for thought and an operation id of its own."""
    op_id = OpId(f"{request.effect.op_id}/more-room")
    return request.model_copy(
        update={
            "effect": request.effect.model_copy(update={"op_id": op_id}),
            "thought_tokens": max(LEAST_ROOM, request.thought_tokens * _TIMES),
        }
    )


def second_answer(request: ModelRequest, first: ModelResponse, second: ModelResponse) -> ModelResponse:
    """The second answer, with what both cost.

    ``request``: the second one.

    Raises:
        ModelFinal: ``thought-past-limit``.
    """
    if is_lost_in_thought(second):
        raise ModelFinal(
            "thought-past-limit",
            f"Model {second.model!r} thought for {second.usage.output_tokens} tokens and did not come to its "
            f"answer of {request.max_output_tokens}, with room for {request.thought_tokens} of thought "
            f"and {_setting(request)}. Under [models.{second.model}] in penwright.toml, set `reasoning` to "
            '"off" or "low", or to a number of tokens that is enough.',
            model=second.model,
        )
    return second.model_copy(update={"usage": total((first.usage, second.usage))})


def _setting(request: ModelRequest) -> str:
    if request.reasoning is None:
        return "no `reasoning` of its own"
    told = f'"{request.reasoning}"' if isinstance(request.reasoning, str) else request.reasoning
    return f"`reasoning = {told}`"
