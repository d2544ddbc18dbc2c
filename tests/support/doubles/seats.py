"""In-memory double of the seats of scenes."""

from datetime import datetime

from schemas.seats import Seat, SeatEnd
from tests.support.doubles.scenes.shelf import Shelf


class MemorySeats:
    """Implements ``Seats``."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf

    def give(self, seat: Seat, digest: str) -> bool:
        here = (seat.scene, seat.character)
        if any(
            (each.scene, each.character) == here and each.over is None for each in self._shelf.seats.values()
        ):
            return False
        self._shelf.seats[digest] = seat
        return True

    def find(self, digest: str) -> Seat | None:
        return self._shelf.seats.get(digest)

    def of(self, scene: str) -> tuple[Seat, ...]:
        here = [each for each in self._shelf.seats.values() if each.scene == scene]
        return tuple(sorted(here, key=lambda each: (each.since, each.id)))

    def seen(self, id: str, at: datetime) -> None:
        self._change(id, seen_at=at)

    def keep_draft(self, id: str, text: str) -> None:
        self._change(id, draft=text)

    def end(self, id: str, how: SeatEnd, at: datetime) -> bool:
        return self._change(id, over=how, over_at=at, draft="")

    def _change(self, id: str, **fields: object) -> bool:
        for digest, seat in self._shelf.seats.items():
            if seat.id == id and seat.over is None:
                self._shelf.seats[digest] = seat.model_copy(update=fields)
                return True
        return False
