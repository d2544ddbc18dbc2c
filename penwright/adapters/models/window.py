"""The window of a model, by the settings or by litellm's local map."""

from typing import Any

from penwright.adapters.models.thinking import mapped
from schemas.model_catalog import ModelEntry

_OLLAMA = ("ollama/", "ollama_chat/")


def window_of(litellm: Any, entry: ModelEntry) -> int | None:  # litellm has no types
    """The most tokens that ``entry`` takes; None if not known."""
    listed = mapped(litellm, entry).get("max_input_tokens")
    return entry.context_tokens or (listed if isinstance(listed, int) and listed > 0 else None)


# Any: litellm has no types, and its arguments vary.
def window_arguments(litellm: Any, entry: ModelEntry) -> dict[str, Any]:
    """The arguments that set the window: Ollama has a small one of its own, and cuts a prompt silently."""
    window = window_of(litellm, entry)
    return {"num_ctx": window} if window and entry.model.startswith(_OLLAMA) else {}
