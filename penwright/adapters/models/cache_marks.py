"""The marks by which Claude keeps the beginning of a prompt in its vendor's cache.

Other vendors cache by themselves. A marked beginning costs a quarter more when it is written and a tenth when
it is read, so only what a later call is likely to begin with is marked; a short one is ignored by the vendor.
"""

from collections.abc import Sequence
from typing import Any

from penwright.adapters.models.thinking import is_claude
from schemas.model_catalog import ModelEntry

_ROUTES = ("anthropic", "bedrock", "vertex_ai", "openrouter")
"""The vendors of Claude for which litellm passes marks on."""
_MARK = {"type": "ephemeral"}


# Any: messages of the protocol.
def with_marks(
    entry: ModelEntry, messages: Sequence[dict[str, Any]], *, goes_on: bool
) -> list[dict[str, Any]]:
    """Mark the instructions, and of a conversation that ``goes_on`` its first message and its end.

    Three marks at most, of the four that are allowed; none for other models.
    """
    if not is_claude(entry) or _route(entry.model) not in _ROUTES:
        return list(messages)
    instructions = sum(message["role"] == "system" for message in messages)
    ends = {instructions - 1, *((instructions, len(messages) - 1) if goes_on else ())}
    return [
        {**message, "cache_control": _MARK} if at in ends else message for at, message in enumerate(messages)
    ]


def _route(model: str) -> str:
    """The vendor in litellm's name of a model; a bare name is Anthropic's own."""
    vendor, slash, _ = model.partition("/")
    return vendor if slash else "anthropic"
