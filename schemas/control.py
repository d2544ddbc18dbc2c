"""Common state of every pipeline: what steers it, what it has used, and how it fails or ends."""

from datetime import datetime
from typing import Literal

from schemas.base import Cause, Value
from schemas.intents import ApprovalDecision, ApprovalRequest


class KillRequest(Value):
    """A request to end a running pipeline at its next safe edge."""

    who: str = "operator"
    reason: str


class StepFailure(Cause):
    """A failure that retries could not cure."""

    step: str
    """The stage in which it happened."""


class Control(Value):
    """One part of every pipeline's state; only the folds of ``penwright.domain.control`` change it."""

    effects: int = 0
    """Steps taken so far; the counter in op ids, carried across continue-as-new."""
    cost_micros: int = 0
    """Money spent, in millionths of a US dollar."""
    unknown_prices: int = 0
    """Model calls whose price is unknown; they are not in ``cost_micros``."""
    started_at: datetime | None = None
    """When the first step was answered, whatever its outcome."""
    deadline: datetime | None = None
    """When the present wait must end; None: without limit."""
    queued_s: float = 0.0
    """By how much the deadline was put off, because activities waited in queues."""
    timed_out: bool = False
    """The deadline passed."""
    paused: bool = False
    pause_reason: str = ""
    """Reason why the pipeline paused itself, such as a spent budget; empty when a person paused it."""
    stop: KillRequest | None = None
    """The first request to end."""
    failure: StepFailure | None = None
    """The first failure."""
    ended: bool = False
    """The last step is taken."""


class PipelineState(Value):
    """The state of a pipeline; carried when it continues as new."""

    control: Control = Control()


class ApprovableState(PipelineState):
    """The state of a pipeline in which a person may be asked to approve a plan that the gate denied."""

    asked: ApprovalRequest | None = None
    """The latest request."""
    decision: ApprovalDecision | None = None
    """The answer to ``asked``; None while the pipeline waits."""
    announced: Literal["", "asked", "decided"] = ""
    """Events that people have been notified of: the request, its decision."""
    past_approvals: tuple[str, ...] = ()
    """Ids of earlier requests, none of which can be decided again."""
