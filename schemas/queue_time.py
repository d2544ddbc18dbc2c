"""Time the activities of a run waited: for a worker's slot, for a model's permit."""

from datetime import datetime

from schemas.agent_run import RunUsage
from schemas.base import Value


class AskQueueTime(Value):
    """A question about the run that asks."""

    since: datetime
    """When its time began; what it waited before does not count."""


class QueueTime(Value):
    """The answer."""

    waited_s: float


class PermitWait(Value):
    """State that a call to a model reports to Temporal, as details of its heartbeats."""

    waited_s: float
    """Time it has waited for permits until now, over all attempts."""
    waits: bool
    """Whether it still waits."""
    failed: RunUsage = RunUsage()
    """Usage of attempts that failed, as far as it is known; each is a model call."""
    tokens: int = 0
    """Tokens of the answer so far, of a model that streams."""
