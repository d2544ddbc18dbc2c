"""The window of a model: a prompt that is larger is not sent."""

from collections.abc import Iterable
from typing import Any

from penwright.adapters.models.thinking import mapped
from penwright.domain.models.token_estimate import estimate_request
from penwright.errors import ModelFinal
from schemas.agent import AgentMessage
from schemas.model import ModelRequest
from schemas.model_catalog import ModelEntry

_PARTS = {
    "system": "instructions",
    "user": "what is asked",
    "assistant": "answers",
    "tool": "results of tools",
}
"""Roles of messages in words."""


def require_room(litellm: Any, entry: ModelEntry, request: ModelRequest) -> None:  # litellm has no types
    """Raise ``ModelFinal`` (``prompt-past-window``) if the prompt alone is larger than the model's window.

    The window is the setting ``context_tokens`` of the model, else what litellm's map says; of a model that
    neither knows, every prompt is sent.
    """
    window = entry.context_tokens or mapped(litellm, entry).get("max_input_tokens")
    size = estimate_request(request)
    if not isinstance(window, int) or size < window:
        return
    raise ModelFinal(
        "prompt-past-window",
        f"Model {entry.name!r} takes {window:,} tokens, and the prompt has about {size:,}: {_sizes(request)}."
        " It was not sent. Set `context_tokens` of the model if it takes more, or give the role one that "
        "does; a book is cut to `context_window_tokens` in its Config.yml, a scene to its "
        "`context_tokens`.",
        model=entry.name,
    )


def _sizes(request: ModelRequest) -> str:
    """The parts of the prompt, largest first."""
    rest = _size(request, ())
    parts = {"tools and form of the answer": rest}
    for role, words in _PARTS.items():
        parts[words] = _size(request, (each for each in request.messages if each.role == role)) - rest
    shown = sorted(parts.items(), key=lambda part: -part[1])
    return ", ".join(f"{words} {size:,}" for words, size in shown if size)


def _size(request: ModelRequest, messages: Iterable[AgentMessage]) -> int:
    return estimate_request(request.model_copy(update={"messages": tuple(messages)}))
