"""Memories of characters, and the vectors they are found by."""

from datetime import datetime

from schemas.base import Effect, Value
from schemas.model import BudgetScope, Usage

BUILT_IN_MODEL = "wordllama-256"
"""The model that needs no network, as its vectors are stored."""


class Memory(Value):
    """One memory of one character; written once per op id."""

    id: str
    scene: str
    world: str
    character: str
    round: int
    text: str
    messages: tuple[str, ...] = ()
    """Ids of the messages it is made from, all witnessed by ``character``."""
    at: datetime
    undone: bool = False


class Remembered(Value):
    written: int = 0
    again: int = 0
    """Memories that an earlier attempt wrote."""
    model: str = ""
    usage: Usage = Usage(cost_micros=0)


class MemoryCount(Value):
    """Memories there are, and how many of them have no vector of a model."""

    all: int
    without: int


class MemoryQuery(Value):
    scene: str
    world: str
    character: str
    text: str
    limit: int
    now_round: int
    before_round: int | None = None
    """Round from which on this story's memories are left out; None: none are."""
    until: datetime | None = None
    """Time from which on other scenes' memories are left out; None: none are."""


class Charge(Value):
    """For which effect vectors are made, and whose caps that counts against."""

    effect: Effect
    scope: BudgetScope


class Vectors(Value):
    """Vectors of texts, and what made them; only vectors of one model are compared."""

    model: str
    dimensions: int
    vectors: tuple[tuple[float, ...], ...]
    usage: Usage = Usage(cost_micros=0)
    """Usage of making them; the built-in model has none that is counted."""
