"""Counts tokens: as a role's model does where that is known, else by an estimate that says so."""

from penwright.adapters.tokens.counted_once import CountedOnce
from penwright.adapters.tokens.estimated import EstimatedTokens
from penwright.adapters.tokens.litellm_tokens import LitellmTokens

__all__ = ["CountedOnce", "EstimatedTokens", "LitellmTokens"]
