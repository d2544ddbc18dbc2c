"""Caps on what models may use."""

from typing import Literal, get_args

from pydantic import Field

from schemas.base import Value

Period = Literal["run", "subject", "day"]
"""Scope that a cap counts over: one run, all runs of a subject, or all runs of a UTC day."""

PERIODS: tuple[Period, ...] = get_args(Period)


class Cap(Value):
    """The most one period may use; None means no cap."""

    tokens: int | None = Field(default=None, ge=0)
    """Input and output together."""
    micros: int | None = Field(default=None, ge=0)
    """Millionths of a US dollar."""
    calls: int | None = Field(default=None, ge=0)


class Caps(Value):
    """The caps of a run, of a subject and of a UTC day."""

    run: Cap = Cap()
    subject: Cap = Cap()
    day: Cap = Cap()

    def of(self, period: Period) -> Cap:
        """The cap of one period."""
        return {"run": self.run, "subject": self.subject, "day": self.day}[period]
