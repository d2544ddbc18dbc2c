"""The chat of a seat: the messages that its character witnessed."""

from nicegui import ui

from gateway.desk.scene.table.views import SeatMessage
from gateway.ui.elements.html import box, text
from gateway.ui.frame import Frame
from gateway.ui.parts.acting import action
from gateway.ui.parts.editing.prose import prose
from gateway.ui.parts.scene.playing import Window
from gateway.ui.parts.scene.table.sitting import Sitting


class SeatChat:
    """Oldest first; what did not change stays on the page as it is."""

    def __init__(self, frame: Frame, window: Window) -> None:
        self._frame, self._window = frame, window
        self._drawn: dict[SeatMessage, ui.element] = {}
        self._earlier = action(frame, "Show earlier messages", self._more, icon="expand_less", reload=False)
        self._none = text("p", "Nothing was said yet that your character heard.", classes="empty")
        self._list = box("ol", classes="chat")

    def show(self, sitting: Sitting) -> None:
        """Draw what came or was changed."""
        heard = sitting.table.messages if sitting.table else ()
        self._earlier.set_visibility(bool(sitting.table and sitting.table.older))
        self._none.set_visibility(not heard)
        for each in [each for each in self._drawn if each not in heard]:
            self._drawn.pop(each).delete()
        for place, each in enumerate(heard):
            if each not in self._drawn:
                self._put(each, place)

    def _put(self, each: SeatMessage, place: int) -> None:
        with self._list, box("li", classes="message own" if each.mine else "message") as shown:
            with box("header"):
                text("h3", each.name)
                if each.stopped:
                    text("span", "stopped", classes="soft")
            prose(each.text)
        if place < len(self._drawn):
            shown.move(self._list, place)
        self._drawn[each] = shown

    async def _more(self) -> str:
        self._window.messages += self._window.step
        await self._frame.renew()
        return f"the newest {len(self._drawn):,} messages that your character heard are shown"
