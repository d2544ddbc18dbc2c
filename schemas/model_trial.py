"""Trying a language model out: the order, and what was found."""

from typing import Literal

from schemas.base import Effect, Value
from schemas.model_catalog import Price


class ModelTrialOrder(Value):
    """One model, asked what its roles will ask; input of the workflow and of its activity."""

    effect: Effect
    name: str
    """Its alias in the settings."""
    timeout_s: float
    """Time each answer may take."""
    model_queue: str
    """Task queue of the process that holds the vendors' keys."""


CheckName = Literal["answers", "json", "tools", "room", "price", "cache"]


class Check(Value):
    """One thing that a role needs of its model."""

    name: CheckName
    state: Literal["works", "fails", "not needed", "unknown"]
    """``unknown``: not seen, and no failure; of ``cache``: no call was answered from one."""
    problem: str = ""
    mend: str = ""
    """The settings that mend it, or that would let one see."""


class RoleTrial(Value):
    """Whether a model serves a role."""

    role: str
    answer_tokens: int
    """The largest answer that it was asked for."""
    checks: tuple[Check, ...]
    works: bool
    """Whether none of them fails."""


class ProbeReport(Value):
    """Findings of a trial."""

    name: str
    provider: str
    model: str
    roles: tuple[RoleTrial, ...] = ()
    """Those that the settings give the model; all of them if they give it none."""
    calls: int = 0
    latency_ms: int
    """Of the first answer."""
    price: Price | None
    price_from: Literal["free", "settings", "genai-prices", "unknown"]
    cost_micros: int | None
    """Cost of the trial; None if the price is unknown."""
    demo: bool
    in_use: bool = True
    """Whether runs use the model as it was tried; if not, they do after the engine has started again."""
