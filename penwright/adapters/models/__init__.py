"""Implementations of the model port: vendors through litellm, the demo model, and scripts for tests."""

from penwright.adapters.models.ledgered import LedgeredModel
from penwright.adapters.models.router import ModelRouter, key_names
from penwright.adapters.models.structured import Structured, complete_structured

__all__ = [
    "LedgeredModel",
    "ModelRouter",
    "Structured",
    "complete_structured",
    "key_names",
]
