"""Which tools may change text, and what each must show for it."""

from collections.abc import Collection, Mapping
from typing import Final, Literal

from schemas.pipeline import PipelineProfile

ToolKind = Literal["engine", "writer", "person", "agent"]

PERSON: Final[Mapping[str, tuple[str, ...]]] = {
    "intent.edit": (".orchestration/active_intents.yaml",),
    "sources.edit": ("sources/*",),
    "trace.repair": (
        *(".orchestration/agent_trace*.jsonl", ".orchestration/agent_trace/*.jsonl"),
        # What lies where those belong.
        *(".orchestration/agent_trace*.jsonl/**", ".orchestration/agent_trace/*.jsonl/**"),
        ".orchestration/agent_trace",
    ),
}
"""A person's commands, and the files that each may write and no others."""
AGENT: Final = frozenset(
    {
        "write_to_file",
        "edit",
        "edit_file",
        "search_replace",
        "apply_diff",
        "apply_patch",
        "execute_command",
    }
)
"""Tools in an agent's own hand: an intent, and no protected path."""


def tool_of_agent(called: str) -> str:
    """The gate's name for a change by an agent's tool, which is an agent's whatever the tool is called."""
    return called if called in AGENT else "write_to_file"


def kind_of(tool: str, profile: PipelineProfile) -> ToolKind | None:
    """Kind of evidence that a tool must show; None for an unknown tool, which may write nothing."""
    kinds: tuple[tuple[ToolKind, Collection[str]], ...] = (
        ("engine", profile.engine_tools),
        ("writer", profile.writer_tools),
        ("person", PERSON),
        ("agent", AGENT),
    )
    return next((kind for kind, tools in kinds if tool in tools), None)
