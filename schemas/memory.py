"""What characters remember, and the vectors it is found by."""

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


class Remember(Value):
    """What a round leaves in the memories of those who were there."""

    effect: Effect
    scene: str
    round: int


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
    """What this story remembers of this round and later ones is left out; None: nothing is."""
    until: datetime | None = None
    """What other scenes remember since then is left out; None: nothing is."""


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
    """What making them took; the built-in model takes nothing that is counted."""
