"""Pieces of a reply that is still coming. They may be lost; the stored message is the truth."""

from schemas.base import Value


class Delta(Value):
    """The next piece of one reply."""

    scene: str
    round: int
    character: str
    """Id of the one who speaks."""
    piece: str
    position: int
    """Characters of the reply before this piece. 0 begins it anew: an attempt failed and another one runs;
    a gap means that a piece was lost."""
