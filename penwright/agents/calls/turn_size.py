"""How much of a model's turn a history carries. The chain holds the same, so that both tell one story."""

from collections.abc import Sequence

from penwright.agents.calls.checking import LONGEST_ARGUMENTS
from penwright.agents.calls.results import LONGEST_TOLD
from schemas.agent import ToolCall

MOST_CALLS = 64
"""Calls of one turn that are taken note of; further ones were never made."""
_LONGEST_LABEL = 256


def fitted_calls(calls: Sequence[ToolCall]) -> tuple[tuple[ToolCall, ...], tuple[int, ...]]:
    """The calls as they are carried, and the positions of those whose arguments were cut out.

    All arguments of a turn together are held to the length of the longest that one call may have.
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
    """Whether the text of a turn is stored, and only its beginning carried."""
    return len(text.encode("utf-8", "surrogatepass")) > LONGEST_TOLD


def beginning(text: str) -> str:
    """What is carried of a text that is too long."""
    return text[: LONGEST_TOLD // 8]


def _labelled(call: ToolCall, arguments: str) -> ToolCall:
    labels = {"id": call.id[:_LONGEST_LABEL], "name": call.name[:_LONGEST_LABEL], "arguments": arguments}
    return call.model_copy(update=labels)
