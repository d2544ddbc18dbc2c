"""Counts tokens by litellm's tokenizers, which lie in its package; nothing is downloaded."""

from collections.abc import Mapping, Sequence
from typing import Any

from penwright.adapters.models.litellm_client import loaded_litellm
from penwright.adapters.models.thinking import thought_room
from penwright.adapters.models.window import window_of
from penwright.adapters.tokens.estimated import EstimatedTokens
from penwright.domain.models.choice import entry_for, fallback_for, profile_of
from penwright.domain.models.prompt_room import thought_share
from schemas.model_catalog import ModelCatalog, ModelEntry, Reasoning

_OPENAI = ("openai/", "azure/", "openrouter/openai/")
"""Vendors whose models' tokenizers litellm has."""
_PIECE = 20_000
"""Characters that are tokenized at once: litellm guesses the rest of a longer text from samples."""


class LitellmTokens:
    """Implements ``TokenCounter`` for the configured models. Only the model worker may use it.

    The demo and scripted models have no tokenizer; they are estimated, and litellm is not imported.
    """

    def __init__(self, catalog: ModelCatalog) -> None:
        self._catalog = catalog
        self._estimated = EstimatedTokens()

    def name(self, role: str) -> str:
        """Name the way of counting, such as ``gpt-4o``; ``about`` without the model's own tokenizer."""
        entry = entry_for(self._catalog, role)
        if entry.provider != "litellm":
            return self._estimated.name(role)
        if _is_exact(loaded_litellm(), entry):
            return _bare(entry)
        return f"about (counted as OpenAI's models do, for {entry.name})"

    def count(self, role: str, texts: Sequence[str]) -> tuple[int, ...]:
        """Count each text as the role's model does.

        Raises:
            ModelFinal: ``unknown-model``, if the role's model is not in the settings.
        """
        entry = entry_for(self._catalog, role)
        if entry.provider != "litellm":
            return self._estimated.count(role, texts)
        litellm, model = loaded_litellm(), _bare(entry)
        return tuple(_count(litellm, model, text) for text in texts)

    def sizes(self, role: str) -> Mapping[str, int]:
        """The most tokens of a prompt with its answer (``context``), if settings or litellm's list tell.

        It is the smallest of the profile's and of what model and fallback take besides their thought.
        """
        profile = profile_of(self._catalog, role)
        entries = filter(None, (entry_for(self._catalog, role), fallback_for(self._catalog, role)))
        rooms = [profile.context_tokens, *(_room(each, profile.reasoning) for each in entries)]
        known = [room for room in rooms if room is not None]
        return {"context": min(known)} if known else {}


def _room(entry: ModelEntry, reasoning: Reasoning | None) -> int | None:
    if entry.provider != "litellm":
        return entry.context_tokens
    litellm = loaded_litellm()
    if (window := window_of(litellm, entry)) is None:
        return None
    thought = thought_room(litellm, entry, entry.reasoning if reasoning is None else reasoning)
    return window - thought_share(window, thought)


def _count(litellm: Any, model: str, text: str) -> int:  # Any: litellm has no types
    pieces = (text[start : start + _PIECE] for start in range(0, len(text), _PIECE))
    return sum(litellm.token_counter(model=model, text=piece) for piece in pieces)


def _is_exact(litellm: Any, entry: ModelEntry) -> bool:  # Any: litellm has no types
    """Whether the tokenizer is the model's own; litellm takes an older one for models it does not know."""
    from tiktoken import encoding_name_for_model  # comes with litellm, and is as slow to import

    if entry.api_base or _bare(entry) not in litellm.open_ai_chat_completion_models:
        return False
    try:
        return bool(encoding_name_for_model(_bare(entry)))
    except KeyError:
        return False


def _bare(entry: ModelEntry) -> str:
    """The model's name without its vendor, as the list of tokenizers has it."""
    vendor = next((each for each in _OPENAI if entry.model.startswith(each)), "")
    return entry.model.removeprefix(vendor)
