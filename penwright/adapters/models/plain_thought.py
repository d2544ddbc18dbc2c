"""Thought that DeepSeek and others want back as they sent it, with the calls of tools that came after it."""

from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import Any, Final

from penwright.adapters.models.signed_thought import LARGEST
from penwright.adapters.models.tool_wire import readable
from schemas.agent import AgentMessage, SignedThought
from schemas.model_catalog import ModelEntry

FIELD: Final = "reasoning_content"
"""The thought of a message, on the wire; as a lesson: the model wants it back."""
_VENDORS = ("deepseek", "moonshot")
"""Of litellm's; a model at another address says so by an error."""
_NONE = " "
"""In place of thought that was not kept; vendors take it, and refuse an empty one."""


def wants_back(entry: ModelEntry, lessons: Mapping[str, str]) -> bool:
    """Whether the model's calls are to be sent with the thought before them."""
    return FIELD in lessons or entry.model.partition("/")[0] in _VENDORS


# Any, here and below: messages of the protocol; litellm has no types.
def misses_thought(status: int | None, words: str, messages: Sequence[dict[str, Any]]) -> bool:
    """Whether a failed call says that its ``messages`` lack the thought before their calls."""
    calling = [message for message in messages if message.get("tool_calls")]
    return status in {400, 422} and FIELD in words and any(FIELD not in message for message in calling)


def plain_thought(message: Any) -> tuple[SignedThought, ...]:
    """The thought before a reply; none if it is too long to be kept."""
    text = readable(getattr(message, FIELD, None))
    return (SignedThought(text=text),) if 0 < len(text) <= LARGEST else ()


def with_plain_thought(
    messages: Sequence[dict[str, Any]], spoken: Sequence[AgentMessage]
) -> list[dict[str, Any]]:
    """``messages`` of the protocol, those that call tools with the thought that is kept with ``spoken``."""
    return [
        {**message, FIELD: _text(said) or _NONE} if message.get("tool_calls") else message
        for message, said in zip_longest(messages, spoken)
    ]


def _text(said: AgentMessage) -> str:
    return "\n\n".join(each.text for each in said.thought if each.text)
