"""What every value that crosses a boundary has in common."""

from datetime import datetime
from typing import NewType

from pydantic import BaseModel, ConfigDict

BookId = NewType("BookId", str)
CommitSha = NewType("CommitSha", str)
OpId = NewType("OpId", str)
"""Names one effect: workflow id, session and position, never argument content."""


class Value(BaseModel):
    """A frozen value; unknown fields are ignored, so that running workflows survive a field that goes."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class BlobRef(Value):
    """Where a long text is kept: the content-addressed store."""

    sha256: str
    size: int
    """Bytes."""


class Effect(Value):
    """The identity of one change, carried by every order that makes one."""

    op_id: OpId
    issued_at: datetime
    """Workflow time at which the order was made, timezone-aware. No commit of this effect is older."""


class Cause(Value):
    """Why a step failed for good."""

    code: str
    message: str
    final: bool = True
    """A rule or a person's mistake; False when retries ran out and what was left behind is unknown."""
    details: dict[str, str] = {}
    """Facts about it, such as what to do instead."""
    family: str = ""
    """``PenwrightError.family`` of the error that said so; empty if there was none."""


class Progress(Value):
    """Where a pipeline stands, for people."""

    pipeline: str
    subject: str
    stage: str
    detail: str = ""
    words: int = 0
    cost_micros: int = 0
    """Money spent by this run, in millionths of a US dollar."""
    paused: bool = False
    ended: bool = False
