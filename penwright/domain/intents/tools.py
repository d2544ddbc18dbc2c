"""Which tools may change text, and what each must show for it."""

from collections.abc import Collection, Mapping
from typing import Final, Literal

Kind = Literal["engine", "writer", "person", "agent"]

ENGINE: Final = frozenset(
    {"book.open", "book.advance", "book.complete", "book.release", "book.reset", "book.adopt"}
)
"""The engine's own bookkeeping; no intent."""
WRITER: Final = frozenset({"book.close"})
"""The engine writes down what a model or an outside agent delivered: an intent, and bookkeeping beside it."""
PERSON: Final[Mapping[str, tuple[str, ...]]] = {
    "intent.edit": (".orchestration/active_intents.yaml",),
    "trace.repair": (".orchestration/agent_trace*.jsonl", ".orchestration/agent_trace/*.jsonl"),
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
_KINDS: Final[tuple[tuple[Kind, Collection[str]], ...]] = (
    ("engine", ENGINE),
    ("writer", WRITER),
    ("person", PERSON),
    ("agent", AGENT),
)


def kind_of(tool: str) -> Kind | None:
    """What a tool must show; None for one that nobody has registered, which may write nothing."""
    return next((kind for kind, tools in _KINDS if tool in tools), None)
