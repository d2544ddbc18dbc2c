"""The room and the arguments that a model's thought needs, by litellm's local map."""

from typing import Any

from penwright.adapters.models.signed_thought import goes_on_thinking
from penwright.domain.models.thought_limit import output_limit
from penwright.domain.models.token_estimate import estimate_request
from schemas.model import ModelRequest
from schemas.model_catalog import Effort, ModelEntry, Reasoning

ROOM: dict[Effort | None, int] = {"off": 0, "low": 4_096, "medium": 8_192, "high": 24_576, None: 8_192}
"""Tokens of thought by how much a model is to think; None: as the vendor has it."""
UNKNOWN = 3_000
"""Tokens for a model of which no list says whether it thinks."""


def thought_room(litellm: Any, entry: ModelEntry, wanted: Reasoning | None) -> int:  # litellm has no types
    """The tokens that ``entry`` may think on top of the answer, by what is ``wanted`` of it."""
    if isinstance(wanted, int):
        return wanted
    if wanted is not None or litellm.supports_reasoning(entry.model):
        return ROOM[wanted]
    return 0 if mapped(litellm, entry) else UNKNOWN


# Any: litellm has no types, and its arguments vary.
def thought_arguments(litellm: Any, entry: ModelEntry, request: ModelRequest) -> dict[str, Any]:
    """The arguments that set how much the model thinks; none where the settings leave it to the vendor.

    Claude takes none while a tool is forced on it, or once tools were called after thought that is not there.
    """
    wanted = request.reasoning
    known = litellm.get_supported_openai_params(entry.model) or ()
    may_think = request.tool_choice in ("auto", "none") and goes_on_thinking(request.messages)
    if wanted is None or (is_claude(entry) and not may_think):
        return {}
    if isinstance(wanted, int) and "thinking" in known:
        return {"thinking": {"type": "enabled", "budget_tokens": wanted}}
    return {"reasoning_effort": effort(wanted)} if "reasoning_effort" in known else {}


def is_claude(entry: ModelEntry) -> bool:
    """Whether the model has the rules of Anthropic's, also if another vendor serves it."""
    return "claude" in entry.model and not entry.file


def effort(wanted: Reasoning) -> str:
    """The word of the protocol for a setting; of a number, the one whose room holds it."""
    if isinstance(wanted, int):
        return "low" if wanted <= ROOM["low"] else "medium" if wanted <= ROOM["medium"] else "high"
    return "none" if wanted == "off" else wanted


def longest_output(litellm: Any, entry: ModelEntry, request: ModelRequest) -> int:  # litellm has no types
    """The tokens of thought and answer to ask for: within the model's limits, not less than the answer."""
    limits = [entry.max_output_tokens, mapped(litellm, entry).get("max_output_tokens")]
    if entry.context_tokens is not None:
        limits.append(entry.context_tokens - estimate_request(request))
    known = [limit for limit in limits if isinstance(limit, int)]
    return max(request.max_output_tokens, min([output_limit(request), *known]))


def mapped(litellm: Any, entry: ModelEntry) -> dict[str, Any]:  # litellm has no types
    """The model in litellm's map; empty for one at the operator's own address."""
    if entry.api_base:
        return {}
    bare = entry.model.partition("/")[2]
    return litellm.model_cost.get(entry.model) or litellm.model_cost.get(bare) or {}
