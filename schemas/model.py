"""Requests to language models, and their responses."""

from typing import Any, Literal

from schemas.agent import AgentMessage, SignedThought, ToolCall, ToolOffer
from schemas.base import Effect, Value
from schemas.model_catalog import JsonMode, Reasoning, Sampler, StructuredRung


class Message(AgentMessage):
    """One turn of a conversation without tools."""

    role: Literal["system", "user", "assistant"]
    content: str


class ForcedTool(Value):
    """The model must call this tool."""

    name: str


ToolChoice = Literal["auto", "required", "none"] | ForcedTool
"""Use that the model may make of the offered tools. Not every vendor obeys."""


class Usage(Value):
    """Tokens and cost of a call."""

    input_tokens: int = 0
    """All of the input, also what came from the vendor's cache or went into it."""
    output_tokens: int = 0
    """All of the output, also what was thought."""
    cached_tokens: int = 0
    """Of the input: read from the vendor's cache."""
    written_tokens: int = 0
    """Of the input: written into the vendor's cache."""
    thought_tokens: int = 0
    """Of the output: thought, as far as the vendor counts it."""
    cost_micros: int | None = None
    """Millionths of a US dollar; None (not 0) if the price is unknown."""


class BudgetScope(Value):
    """The run and subject whose caps a call counts against."""

    run: str
    """Workflow id and session."""
    subject: str
    """Book, manuscript or scene."""


class CutText(Value):
    """A text of a prompt of which not all was sent; sizes are in tokens."""

    kind: str
    name: str
    tokens: int
    kept: int


class ModelRequest(Value):
    """One call. It exists only inside a worker; workflows carry references to the texts."""

    effect: Effect
    role: str
    """The role that asks: ``writer``, ``critic``, …; settings map it to a model."""
    messages: tuple[AgentMessage, ...]
    """Tool results directly follow the message that called the tools, in the order of its calls."""
    max_output_tokens: int
    """The size of the answer; what a model thinks comes on top."""
    reasoning: Reasoning | None = None
    """None: as the model's settings have it."""
    thought_tokens: int = 0
    """Room for the model's thought, set by its provider."""
    context_tokens: int | None = None
    """The most tokens of prompt, thought and answer, by settings and model; None: not known."""
    temperature: float = 0.8
    timeout_s: float = 300.0
    scope: BudgetScope
    output_schema: dict[str, Any] | None = None
    """JSON schema of the wanted answer; None for plain text."""
    schema_name: str = ""
    output_rung: StructuredRung = "native"
    """Way to ask for ``output_schema``; a provider that does not support it starts lower."""
    output_example: str = ""
    """JSON of an answer, shown to the model with ``output_schema``."""
    output_mode: JsonMode = "schema"
    """``object``: the vendor is only asked for an object, and the schema stands in the prompt."""
    sampler: Sampler = Sampler()
    """Its temperature counts before that of the model's settings, and ``temperature`` last."""
    tools: tuple[ToolOffer, ...] = ()
    tool_choice: ToolChoice = "auto"
    needs_tools: bool = True
    """Whether a model without tools is refused. The answer's own tool does not count."""
    stream_to: str = ""
    """Target of pieces of plain text while they come, ``<scene>/<round>/<character>``; empty: nowhere. The
    answer is the same, stored and paid as any other.
    """
    within_loop: bool = False
    """Whether an agent loop asks: it handles every reply, so an empty one is returned, not raised."""


class ModelResponse(Value):
    """One answer, as received and not yet parsed."""

    text: str
    """The text; with ``tool_calls`` it is only a remark."""
    model: str
    provider: str
    finish_reason: Literal["stop", "length", "refusal", "tool", "other"]
    """``tool`` if there are calls; but ``length`` if the last of them may be truncated."""
    usage: Usage
    tool_calls: tuple[ToolCall, ...] = ()
    """As received, in order: names, arguments and ids may be invalid or duplicate."""
    thought: tuple[SignedThought, ...] = ()
    """Thought that the vendor wants back with the results of ``tool_calls``; a stored answer has none, and
    its model then goes on without thought."""
    rung: Literal["text", "native", "tool", "json-in-text", "re-ask"] = "text"
    demo: bool = False
    """True if no real model wrote this; it is labelled wherever it is displayed."""
    instead_of: str = ""
    """The model that was unavailable or refused, so that this one, the role's fallback, answered."""
    repeated: bool = False
    """True if an earlier attempt stored the answer and nothing was paid again."""
    cut: tuple[CutText, ...] = ()
    """Texts for which the prompt had no room."""
