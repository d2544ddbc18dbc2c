"""Bringing vectors to memories that have none of the present model."""

from typing import Literal

from schemas.base import Effect, Value
from schemas.control import PipelineState
from schemas.model import Usage

WORKFLOW_ID = "memories/vectors"
"""The lock: vectors are brought by one run at a time."""
SUBJECT = "memories"


class IndexingState(PipelineState):
    """The state of the run."""

    indexed: int = 0
    left: int | None = None
    """Memories without a vector when they were last counted; None: not counted yet."""
    model: str = ""
    done: bool = False
    """None was without one."""
    wanted: bool = False
    """Someone said meanwhile that there are new ones."""


class IndexingInput(Value):
    session: str
    model_queue: str = ""
    """The queue of the models; the process that makes vectors has one beside it."""
    state: IndexingState | None = None


class IndexMemories(Value):
    """Bring some vectors."""

    effect: Effect
    session: str


class Indexed(Value):
    """Result of one step."""

    indexed: int = 0
    left: int = 0
    model: str = ""
    usage: Usage = Usage(cost_micros=0)


class IndexingResult(Value):
    outcome: Literal["completed", "stopped", "failed"]
    indexed: int = 0
    left: int | None = None
    model: str = ""
    code: str = ""
    message: str = ""
    stopped_by: str = ""
    cost_micros: int = 0
    unknown_prices: int = 0


class EndIndexing(Value):
    """Note how the run ended."""

    effect: Effect
    session: str
    result: IndexingResult


IndexingInput.model_rebuild()
