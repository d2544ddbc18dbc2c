"""What is asked of a language model and what it answers."""

from typing import Any, Literal

from schemas.agent import AgentMessage, ToolCall, ToolOffer
from schemas.base import Effect, Value
from schemas.model_catalog import StructuredRung


class Message(AgentMessage):
    """One turn of a conversation without tools."""

    role: Literal["system", "user", "assistant"]
    content: str


class ForcedTool(Value):
    """The model is to call this tool and no other."""

    name: str


ToolChoice = Literal["auto", "required", "none"] | ForcedTool
"""What a model may do with the tools it is offered. Not every vendor obeys."""


class Usage(Value):
    """What a call used."""

    input_tokens: int = 0
    output_tokens: int = 0
    cost_micros: int | None = None
    """Millionths of a US dollar; None when the price is unknown, never zero for unknown."""


class BudgetScope(Value):
    """Whose caps a call counts against."""

    run: str
    """Workflow id and session."""
    subject: str
    """Book, manuscript or scene."""


class ModelRequest(Value):
    """One call. Lives inside a worker; a workflow only ever carries references."""

    effect: Effect
    role: str
    """Which role asks: ``writer``, ``critic``, …; settings map it to a model."""
    messages: tuple[AgentMessage, ...]
    """Results of tools stand right behind the message that called them, in the order of its calls."""
    max_output_tokens: int
    temperature: float = 0.8
    timeout_s: float = 300.0
    scope: BudgetScope
    output_schema: dict[str, Any] | None = None
    """JSON schema of the wanted answer; None for plain text."""
    schema_name: str = ""
    output_rung: StructuredRung = "native"
    """How to ask for ``output_schema``; a provider that knows better starts lower."""
    tools: tuple[ToolOffer, ...] = ()
    tool_choice: ToolChoice = "auto"
    within_loop: bool = False
    """Whoever asks has an answer to every reply: an empty one is returned, not raised."""


class ModelResponse(Value):
    """One answer, as received; parsing is somebody else's step."""

    text: str
    """What was said; beside ``tool_calls`` it is a remark."""
    model: str
    provider: str
    finish_reason: Literal["stop", "length", "refusal", "tool", "other"]
    """``tool`` when there are calls, except that ``length`` says the last of them may be cut."""
    usage: Usage
    tool_calls: tuple[ToolCall, ...] = ()
    """As the model made them, in its order: they may name any tool, hold any arguments and share an id."""
    rung: Literal["text", "native", "tool", "json-in-text", "re-ask"] = "text"
    demo: bool = False
    """True when no real model wrote this; it is labelled wherever it shows."""
    repeated: bool = False
    """True when the answer was stored by an earlier attempt and nothing was paid again."""
