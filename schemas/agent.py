"""What crosses a boundary when an agent works: its calls, what became of them, and its state at rest."""

from typing import Any, Literal

from pydantic import JsonValue

from schemas.base import BlobRef, Value

EffectClass = Literal["pure", "read", "workspace-write", "external"]
"""What a tool touches: nothing, the world by looking only, the workspace by ``publish``, or somebody else."""

SlicePolicy = Literal["state", "log"]
"""``state`` follows the commit of a call; ``log`` stays whatever became of it."""

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
"""How a tool call ended.

``failed`` and ``stale`` are the tool's own answers, ``unavailable`` is a tool that the state hides,
``denied`` a policy's no, ``refused`` a person's, ``exhausted`` an infrastructure that stayed away.
"""


class ToolCall(Value):
    """A call as a model made it."""

    id: str
    """The provider's label. Twins may share it, so results pair by position."""
    name: str
    arguments: str
    """JSON text, as received; it may be anything."""


class ToolOffer(Value):
    """A tool as a model is told of it."""

    name: str
    description: str
    parameters: dict[str, Any]
    """JSON schema of the arguments."""


class AgentMessage(Value):
    """One message of a run, as it enters the chain."""

    role: Literal["system", "user", "assistant", "tool"]
    content: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    """Of an assistant."""
    tool_call_id: str = ""
    """Of a tool: the label of the call it answers."""


class SerializedSlice(Value):
    """One slice of state as JSON."""

    name: str
    version: int
    policy: SlicePolicy
    items: tuple[JsonValue, ...]
    spilled: int = 0
    """Items of a log that were let go, all older than these."""


class SerializedState(Value):
    """All of a run's state as JSON, by slice name."""

    slices: tuple[SerializedSlice, ...] = ()


class SerializedEvent(Value):
    """One event as JSON, with the name and version of its type."""

    name: str
    version: int = 1
    data: JsonValue


class CallOutcome(Value):
    """What became of one tool call. Every call has exactly one."""

    number: int
    """Position among the calls of the whole run, from 1."""
    key: str
    """Names the call's effect, by position: survives retries and continue-as-new."""
    call_id: str
    tool: str
    kind: CallKind
    code: str = ""
    """Why it did not succeed, stable kebab-case."""
    message: str
    """What the model is told."""
    result: BlobRef | None = None
    """The whole result, where it was too long to be told."""
    commit: str = ""
    """What a workspace write published."""


class SkippedOverride(Value):
    """An override that was written against another text and is not used."""

    path: str
    """Section path, or ``section path:tool``."""
    field: str
    expected: str
    """Digest it was written against."""
    found: str
    """Digest of the text as it is; empty when the path is gone."""
