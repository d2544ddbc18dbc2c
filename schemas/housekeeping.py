"""Housekeeping: what is deleted from the store when it is old, and the packing of repositories."""

from datetime import datetime
from typing import Literal

from pydantic import Field

from schemas.base import Effect, Value
from schemas.control import PipelineState


class RetentionDays(Value):
    """Days that rows are kept, by kind; 0: for ever."""

    events: int = Field(default=90, ge=0)
    """Events of runs."""
    model_calls: int = Field(default=400, ge=0)
    """Model calls with their answers, for bills of a year."""
    messages: int = Field(default=30, ge=0)
    """Messages of agents' runs."""
    texts: int = Field(default=30, ge=0)
    """Texts that no row and no run under way names, since they were last stored."""
    runs: int = Field(default=730, ge=0)
    """Runs in lists; the newest of each subject stays."""
    agent_history: int = Field(default=180, ge=0)
    """Replaced values of manuscripts' agents, and what the agents did."""
    evals: int = Field(default=365, ge=0)
    """Results of evals."""
    receipts: int = Field(default=365, ge=0)
    """Rows that keep effects and notifications from being repeated."""
    drafts: int = Field(default=30, ge=0)
    """Closed drafts, and the single changes of open ones that are saved."""


class Cleared(Value):
    """Rows that were deleted from one table, or would be."""

    table: str
    what: str
    """Which rows go."""
    days: int
    """After how many days; 0: never."""
    rows: int = 0
    size: int = 0
    """Bytes, without indexes."""
    failed: str = ""
    """Reason why nothing more was deleted here."""


class HousekeepingRequest(Value):
    """Common fields of every step of the housekeeping."""

    effect: Effect
    run: str
    """Name of the run, which is its workflow id."""


class ClearStore(HousekeepingRequest):
    """Delete what is old from the store."""


class StoreCleared(Value):
    """Rows deleted from the store."""

    tables: tuple[Cleared, ...]


class FindQueues(HousekeepingRequest):
    """Find the task queues of the hosts that hold repositories."""


class QueuesFound(Value):
    """Task queues, sorted."""

    queues: tuple[str, ...]


class PackRepositories(HousekeepingRequest):
    """Pack the repositories of one host."""

    queue: str


class RepositoriesPacked(Value):
    """Counts of one host's repositories by result."""

    queue: str
    looked_at: int = 0
    packed: int = 0
    busy: int = 0
    """Left alone, as a session held them."""
    needless: int = 0
    """Left alone, as there was nothing to pack."""
    freed: int = 0
    """Bytes."""
    failed: tuple[str, ...] = ()
    """Reasons why repositories could not be packed; of no more than ten."""


class HousekeepingResult(Value):
    """Result of a housekeeping."""

    outcome: Literal["done", "stopped", "failed"]
    tables: tuple[Cleared, ...] = ()
    packed: tuple[RepositoriesPacked, ...] = ()
    code: str = ""
    message: str = ""


class EndHousekeeping(HousekeepingRequest):
    """Record how it ended."""

    started_at: datetime
    result: HousekeepingResult


class HousekeepingInput(Value):
    """One night's housekeeping."""

    state: "HousekeepingState | None" = None
    """Carried over by continue-as-new."""


class HousekeepingState(PipelineState):
    """State of a housekeeping."""

    cleared: StoreCleared | None = None
    queues: tuple[str, ...] | None = None
    packed: tuple[RepositoriesPacked, ...] = ()


HousekeepingInput.model_rebuild()
