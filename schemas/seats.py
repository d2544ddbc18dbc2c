"""A seat: a character of a scene that an invited person plays."""

from datetime import datetime
from typing import Literal

from schemas.base import Value

SeatEnd = Literal["left", "taken-away", "expired"]


class Seat(Value):
    """A place at the table of a scene; the store keeps only the digest of its link's secret."""

    id: str
    """Random and long; no seat is shown it, so nobody can guess what is made from it."""
    scene: str
    character: str
    """Id of the character."""
    name: str
    """Name of the character when the seat was given."""
    since: datetime
    expires_at: datetime
    seen_at: datetime | None = None
    """When its person was at the table last; noted now and then."""
    over_at: datetime | None = None
    over: SeatEnd | None = None
    """Reason of its end; None: it is not over."""
    draft: str = ""
    """Text that its person typed and has not said yet."""
