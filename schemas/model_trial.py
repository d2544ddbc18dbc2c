"""Trying a language model out: the order, and what was found."""

from typing import Literal

from schemas.base import Effect, Value
from schemas.model_catalog import Price, StructuredRung


class ModelTrialOrder(Value):
    """One model, asked four short questions; input of the workflow and of its activity."""

    effect: Effect
    name: str
    """Its alias in the settings."""
    timeout_s: float
    """How long each answer may take."""
    model_queue: str
    """Where the process listens that holds the vendors' keys."""


class RungReport(Value):
    """Whether one way of asking for structured output works."""

    rung: StructuredRung
    works: bool
    problem: str = ""


class ProbeReport(Value):
    """What a trial found."""

    name: str
    provider: str
    model: str
    answer: str
    latency_ms: int
    rungs: tuple[RungReport, ...]
    best_rung: StructuredRung | None
    """The most reliable way that works; None if none does."""
    configured_rung: StructuredRung
    price: Price | None
    price_from: Literal["free", "settings", "genai-prices", "unknown"]
    cost_micros: int | None
    """Cost of the trial; None if the price is unknown."""
    demo: bool
    in_use: bool = True
    """Whether runs use the model as it was tried; if not, they do after the engine has started again."""
