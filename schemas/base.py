"""The base of all values that cross a boundary, and ids, effects and causes."""

from datetime import datetime
from typing import Literal, NewType, Self

from pydantic import BaseModel, ConfigDict

BookId = NewType("BookId", str)
CommitSha = NewType("CommitSha", str)
OpId = NewType("OpId", str)
"""Idempotency key of one effect: workflow id, session and position; independent of argument content."""


class Value(BaseModel):
    """Frozen model. Unknown fields are ignored: running workflows survive the removal of a field."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class BlobRef(Value):
    """Reference to a long text in the blob store, by content hash."""

    sha256: str
    size: int
    """Bytes."""


class Effect(Value):
    """Op id and time of one change; part of every request that makes one."""

    op_id: OpId
    issued_at: datetime
    """Workflow time of the request, timezone-aware. No commit of this effect is older."""


class Cause(Value):
    """Cause for which a step failed after all retries."""

    code: str
    message: str
    final: bool = True
    """True for a denial or a person's mistake; False if retries ran out, so that the effect is uncertain."""
    details: dict[str, str] = {}
    """Further facts, such as what to do instead."""
    family: str = ""
    """``PenwrightError.family`` of the error that said so; empty if there was none."""


DISK_LOW = "disk-low"
"""Code of a run whose first step waits for free space on the disk of the engine."""


LengthUnit = Literal["words", "characters"]
"""In which the lengths of a text are counted: in characters those of Chinese and Japanese."""


class Progress(Value):
    """Progress of a pipeline, for people."""

    pipeline: str
    subject: str
    stage: str
    detail: str = ""
    words: int = 0
    unit: LengthUnit = "words"
    """Of ``words``, as its people read them."""
    cost_micros: int = 0
    """Cost of this run, in millionths of a US dollar."""
    unknown_prices: int = 0
    """Its model calls whose price is unknown; they are not in ``cost_micros``."""
    paused: bool = False
    ended: bool = False
    outcome: str = ""
    """Outcome in one word such as ``written`` or ``refused``; empty while it runs."""
    code: str = ""
    """Error code of that outcome; of a written session, why its push is pending; while it runs, of the step
    that is tried again."""
    tokens: int = 0
    """Tokens so far of the answer that a slow model gives now."""
    writer: str = ""
    """``built-in`` or ``outside``: who writes in a book's session; empty elsewhere."""

    def arriving(self, tokens: int) -> Self:
        """The same, with the ``tokens`` that have come of an answer, as a part of ``detail``."""
        detail = f"{self.detail or self.stage}{_so_far(tokens)}"
        return self.model_copy(update={"detail": detail, "tokens": tokens})

    @property
    def step(self) -> str:
        """``detail`` without that part, which is another one each time."""
        return self.detail.removesuffix(_so_far(self.tokens))


def _so_far(tokens: int) -> str:
    return f"; {tokens:,} tokens so far"
