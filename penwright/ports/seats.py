"""Port of seats: who plays which character of a scene by invitation."""

from datetime import datetime
from typing import Protocol

from schemas.seats import Seat, SeatEnd


class Seats(Protocol):
    """Seats by the digest of their secret. All calls block."""

    def give(self, seat: Seat, digest: str) -> bool:
        """Store a seat; False if its character has one that is not over, and nothing is stored."""
        ...

    def find(self, digest: str) -> Seat | None:
        """Return the seat of this digest, also one that is over; None if there is none."""
        ...

    def of(self, scene: str) -> tuple[Seat, ...]:
        """Return the seats of a scene in the order in which they were given, also those that are over."""
        ...

    def seen(self, id: str, at: datetime) -> None:
        """Note that the person of a seat was at the table."""
        ...

    def keep_draft(self, id: str, text: str) -> None:
        """Replace the draft of a seat that is not over."""
        ...

    def end(self, id: str, how: SeatEnd, at: datetime) -> bool:
        """End a seat and forget its draft; False if it was over, or there is none."""
        ...
