"""Acts of the person at a seat: speaking, keeping a draft, saving what was heard, leaving."""

from collections.abc import Callable
from typing import TypeVar

from nicegui import ui

from gateway.desk.engine.waits import at_most
from gateway.desk.scene.table import exporting, saying, seats
from gateway.desk.services import Services
from gateway.ui.elements.html import box
from gateway.ui.frame import Frame
from gateway.ui.parts.acting import action
from gateway.ui.parts.confirm import confirmed
from gateway.ui.parts.scene.table.sitting import Sitting
from gateway.ui.parts.shared.words import words
from gateway.ui.visit import Visit
from schemas.seats import Seat

_QUEUES_S = 30.0
T = TypeVar("T")


class Speaking:
    """The field, whose words stay until they were said; the seat is looked up anew for each act."""

    def __init__(self, visit: Visit, frame: Frame, place: str, now: Sitting) -> None:
        self._visit = visit
        draft = now.table.draft if now.table else ""
        self.field = words(
            frame, "What you say", "Say it", self._say, place=place, icon="send", enter=True, draft=draft
        )
        self.field.on_drafted(self._draft)
        with box(classes="row-of"):
            action(frame, "Save what I heard", self._export, icon="download", reload=False)
            ask = "The model plays your character again, and your link opens nothing any more."
            confirmed(frame, "Leave the table", ask, self._leave)

    def show(self, _: Sitting) -> None:
        """Keep the field in sight while the chat grows."""
        self.field.stay_in_sight()

    async def _say(self, said: str) -> str:
        seat = await self._visit.ask(seats.seat_of, self._visit.seat)
        await self._visit.ask_engine(saying.say, seat, said, turn=at_most(_QUEUES_S))
        return "it is said"

    async def _draft(self, text: str) -> None:
        await self._ask(lambda services, seat: saying.draft(services, seat, text))

    async def _export(self) -> str:
        made = await self._ask(exporting.export_of)
        ui.download.content(made.content, made.name)
        return "your browser saves what your character heard"

    async def _leave(self) -> str:
        await self._ask(seats.leave)
        return "you left the table"

    async def _ask(self, function: Callable[[Services, Seat], T]) -> T:
        secret = self._visit.seat
        return await self._visit.ask(lambda services: function(services, seats.seat_of(services, secret)))
