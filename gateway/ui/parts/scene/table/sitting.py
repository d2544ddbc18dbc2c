"""Data of a seat's page; the seat is looked up anew at each reading, as one that is over shows nothing."""

from dataclasses import dataclass, replace

from gateway.desk.scene.table import seats, views
from gateway.desk.scene.table.views import SeatTable
from gateway.desk.services import Services
from gateway.ui.elements.problem import problem
from gateway.ui.parts.scene.playing import Window
from gateway.ui.visit import Visit
from penwright.errors import PenwrightError, PermanentError

_OVER = ("seat-unknown", "seat-expired", "seat-left", "seat-taken-away")


@dataclass(frozen=True, slots=True)
class Sitting:
    """The table as the seat sees it; nothing of it once the seat is over."""

    table: SeatTable | None = None
    over: PenwrightError | None = None

    @property
    def title(self) -> str:
        return self.table.place.title if self.table else "A table that is closed"


async def read(visit: Visit, window: Window) -> Sitting:
    """Read it, with as many messages as the page shows."""
    try:
        return Sitting(await visit.ask(_table, visit.seat, window.messages))
    except PermanentError as error:
        if error.code not in _OVER:
            raise
        return Sitting(over=error)


async def mark(visit: Visit) -> object:
    """Look at what leaves no event: who is at the table, whose turn it is, whether the seat is over."""
    found = await visit.ask(_table, visit.seat, 1)
    return found.here, found.turn


def _table(services: Services, secret: str, newest: int) -> SeatTable:
    seat = seats.seat_of(services, secret)
    table = views.table_of(services, seat, limit=newest)
    while table.older and table.messages and len(table.messages) < newest:
        wanted = newest - len(table.messages)
        before = views.table_of(services, seat, before=table.messages[0].id, limit=wanted)
        table = replace(table, messages=(*before.messages, *table.messages), older=before.older)
    return table


def ended(over: PenwrightError | None) -> None:
    """Say why the seat shows nothing any more."""
    if over is not None:
        problem(over)
