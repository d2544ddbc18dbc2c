"""Replies while a model still writes them: pieces that may be lost, in the order in which they come."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Piece:
    """Part of one reply."""

    round: int
    character: str
    """Id of who speaks."""
    text: str
    position: int
    """Characters of the reply before it."""


class Pieces(Protocol):
    """Pieces of the replies of a scene."""

    def follow(self, scene: str) -> AsyncIterator[Piece]:
        """Yield what comes from now on."""
        ...
