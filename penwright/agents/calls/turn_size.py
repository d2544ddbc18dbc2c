"""Limit the size of a model's turn in a history. The message chain holds the same, so that both agree."""

from collections.abc import Sequence

from penwright.agents.calls.checking import LONGEST_ARGUMENTS
from penwright.agents.calls.results import LONGEST_TOLD
from schemas.agent import ToolCall

MOST_CALLS = 64
"""Calls kept of one turn; further ones are dropped."""
_LONGEST_LABEL = 256


def fitted_calls(calls: Sequence[ToolCall]) -> tuple[tuple[ToolCall, ...], tuple[int, ...]]:
    """Shorten the calls; also return the positions of those whose arguments were removed.

    All arguments of a turn together may be as long as the longest of one call.
    """
    kept: list[ToolCall] = []
    cut: list[int] = []
    room = LONGEST_ARGUMENTS
    for position, call in enumerate(calls[:MOST_CALLS]):
        size = len(call.arguments.encode("utf-8", "surrogatepass"))
        fits = size <= room
        room -= size if fits else 0
        cut += [] if fits else [position]
        kept.append(_labelled(call, call.arguments if fits else ""))
    return tuple(kept), tuple(cut)


def is_long_text(text: str) -> bool:
    """Whether the text of a turn is stored, and the history holds only its beginning."""
    return len(text.encode("utf-8", "surrogatepass")) > LONGEST_TOLD


def history_part(text: str) -> str:
    """The part of a too long text that the history holds."""
    return text[: LONGEST_TOLD // 8]


def _labelled(call: ToolCall, arguments: str) -> ToolCall:
    labels = {"id": call.id[:_LONGEST_LABEL], "name": call.name[:_LONGEST_LABEL], "arguments": arguments}
    return call.model_copy(update=labels)
