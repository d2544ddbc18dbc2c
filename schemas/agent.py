"""Values of an agent's run: tool calls and their results, messages, serialized state."""

from typing import Any, Literal

from pydantic import JsonValue

from schemas.base import BlobRef, Value

EffectClass = Literal["pure", "read", "workspace-write", "external"]
"""Effect of a tool: none; none, but it reads; on the workspace, through ``publish``; on other systems."""

SlicePolicy = Literal["state", "log"]
"""``state`` changes only if its call succeeds; ``log`` also if it fails."""

CallKind = Literal[
    "succeeded",
    "failed",
    "stale",
    "unknown-tool",
    "unavailable",
    "invalid-arguments",
    "denied",
    "refused",
    "over-budget",
    "oversize",
    "exhausted",
    "cancelled",
]
"""Outcome of a tool call.

``failed`` and ``stale`` are results of the tool; ``unavailable``: the state hides the tool; ``denied``: by a
policy; ``refused``: by a person; ``exhausted``: retries of the infrastructure ran out.
"""


class ToolCall(Value):
    """A call as a model made it."""

    id: str
    """The provider's id. Calls may share one, so results are matched by position."""
    name: str
    arguments: str
    """JSON text as received; it may be invalid."""


class SignedThought(Value):
    """A block of thought that its vendor wants back, unchanged, with the results of the calls after it."""

    text: str = ""
    signature: str = ""
    """Empty of vendors that sign nothing."""
    sealed: str = ""
    """Thought that its vendor does not show, in its own form; then there is no text."""


class ToolOffer(Value):
    """A tool as described to a model."""

    name: str
    description: str
    parameters: dict[str, Any]
    """JSON schema of the arguments."""


class AgentMessage(Value):
    """One message of a run."""

    role: Literal["system", "user", "assistant", "tool"]
    content: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    """Only of an assistant."""
    thought: tuple[SignedThought, ...] = ()
    """Only of an assistant that calls tools, and only for its vendor: no text that anyone reads."""
    tool_call_id: str = ""
    """Only of a tool: id of the call that it answers."""


class SerializedSlice(Value):
    """One slice of state as JSON."""

    name: str
    version: int
    policy: SlicePolicy
    items: tuple[JsonValue, ...]
    spilled: int = 0
    """Number of items dropped from a log, all older than these."""


class SerializedState(Value):
    """All of a run's state as JSON, by slice name."""

    slices: tuple[SerializedSlice, ...] = ()


class SerializedEvent(Value):
    """One event as JSON, with the name and version of its type."""

    name: str
    version: int = 1
    data: JsonValue


class CallOutcome(Value):
    """Result of one tool call. Every call has exactly one."""

    number: int
    """Position among the calls of the whole run, from 1."""
    key: str
    """Identifies the call's effect by position; the same after retries and continue-as-new."""
    call_id: str
    tool: str
    kind: CallKind
    code: str = ""
    """Reason why it did not succeed, stable kebab-case."""
    message: str
    """Text for the model."""
    result: BlobRef | None = None
    """The whole result, if it was too long for the message."""
    commit: str = ""
    """Commit of a workspace write."""


class SkippedOverride(Value):
    """An override that is not used: its text has changed, it does not fit there, or is malformed."""

    path: str
    """Section path, or ``section path:tool``."""
    field: str
    expected: str
    """Digest of the text that it was written for."""
    found: str
    """Digest of the current text; empty if the path no longer exists."""
    why: str = ""
    """Reason why it does not fit; empty if the text has changed."""
