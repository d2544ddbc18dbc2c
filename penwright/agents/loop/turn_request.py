"""Build the model request of one turn: the prompt of this state, the messages, the tools."""

from collections.abc import Sequence
from dataclasses import dataclass

from penwright.domain.models.choice import role_of
from penwright.domain.models.temperatures import temperature_of
from penwright.errors import UsageMistake
from schemas.agent import AgentMessage, ToolOffer
from schemas.agent_run import TurnKind
from schemas.base import Effect
from schemas.model import BudgetScope, ForcedTool, ModelRequest, ToolChoice

_SHORTEST_TIMEOUT_S = 300.0
_LONGEST_TIMEOUT_S = 900.0
_SECONDS_PER_TOKEN = 0.05


@dataclass(frozen=True, slots=True)
class Turn:
    """The content of a turn."""

    effect: Effect
    """Derived from the turn's position in its run, so that a retry finds the stored reply."""
    role: str
    """Settings map it to a model."""
    scope: BudgetScope
    system: str
    """The rendered prompt. It is not part of the chain, because it depends on the state."""
    messages: Sequence[AgentMessage]
    """The chain."""
    offers: Sequence[ToolOffer] = ()
    needs_tools: bool = True
    answer: ToolOffer | None = None
    """Takes the final answer and carries its schema; None where the answer is plain text."""
    kind: TurnKind = "work"
    max_output_tokens: int = 8_192
    context_tokens: int | None = None
    stream_to: str = ""


def turn_request(turn: Turn) -> ModelRequest:
    """The request of a turn.

    If the model has tools, an extra tool takes its answer; in the last turn that tool is forced, or no call
    is allowed if the answer is plain text. Tools stay listed even then: vendors reject a conversation with
    calls otherwise. A model that never had tools gets the answer's schema in the request.

    Raises:
        UsageMistake: ``unpaired-results`` when calls and results in the chain do not match.
    """
    _check_pairs(turn.messages)
    request = ModelRequest(
        effect=turn.effect,
        role=turn.role,
        messages=(AgentMessage(role="system", content=turn.system), *turn.messages),
        max_output_tokens=turn.max_output_tokens,
        context_tokens=turn.context_tokens,
        needs_tools=turn.needs_tools,
        temperature=temperature_of(role_of(turn.role)),
        timeout_s=_timeout_s(turn.max_output_tokens),
        scope=turn.scope,
        stream_to=turn.stream_to,
        within_loop=True,
    )
    if turn.answer is not None and not _works_with_tools(turn):
        schema = {"output_schema": turn.answer.parameters, "schema_name": turn.answer.name}
        return request.model_copy(update=schema)
    tools = (*turn.offers, *([turn.answer] if turn.answer else []))
    return request.model_copy(update={"tools": tools, "tool_choice": _choice(turn)})


def _timeout_s(tokens: int) -> float:
    return min(_LONGEST_TIMEOUT_S, max(_SHORTEST_TIMEOUT_S, tokens * _SECONDS_PER_TOKEN))


def _works_with_tools(turn: Turn) -> bool:
    return bool(turn.offers) or any(message.tool_calls for message in turn.messages)


def _choice(turn: Turn) -> ToolChoice:
    if turn.answer is not None and (turn.kind == "last" or not turn.offers):
        return ForcedTool(name=turn.answer.name)
    return "none" if turn.kind == "last" else "auto"


def _check_pairs(messages: Sequence[AgentMessage]) -> None:
    """Check that an assistant's calls are followed directly by their results, one each, in order."""
    expected: list[str] = []
    for position, message in enumerate(messages):
        answered = message.tool_call_id if message.role == "tool" else None
        if answered != (expected.pop(0) if expected else None):
            raise _unpaired(position)
        expected = expected or [call.id for call in message.tool_calls]
    if expected:
        raise _unpaired(len(messages))


def _unpaired(position: int) -> UsageMistake:
    return UsageMistake(
        "unpaired-results",
        f"Message {position} of the chain is not the result that the preceding calls require. "
        "Append one result for each call, in the order of the calls, before anything else.",
    )
