"""Which part of a long list is wanted."""

from collections.abc import Collection
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Portion:
    """Which of all things of a kind are wanted, oldest first."""

    limit: int
    """Greatest number of items."""
    skip: int = 0
    """Number of the oldest that are skipped."""
    named: str = ""
    """Part of the name or id, compared without case; empty: any."""
    among: Collection[str] | None = None
    """Only these ids; None: all."""
    called: str = ""
    """The whole name, compared without case; empty: any."""
    above: Collection[str] | None = None
    """Ids of the worlds, campaigns or arcs to which they must belong; None: any."""
    after: str | None = None
    """Only those with a greater id, in the order of their ids; None: oldest first."""
