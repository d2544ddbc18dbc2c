"""A place onto which cards, lorebooks and chats are dropped; they go to the API, which checks them."""

from pathlib import Path
from typing import Any

from nicegui.element import Element
from nicegui.events import GenericEventArguments

from gateway.ui.frame import Frame
from gateway.ui.parts.html import attribute, box, text
from penwright.domain.cards.refusals import MOST_FILE_BYTES

_FILES = Path(__file__).parents[2] / "editor"
_SHOWN = 300


class DropPlace(Element, component=_FILES / "drop.js"):
    """Sends files to the API and says what it answered."""

    def __init__(self, label: str) -> None:
        super().__init__()
        self._props.update({"label": label, "most": MOST_FILE_BYTES})


def drop(frame: Frame) -> None:
    """The place, and below it what became of each file."""
    place = DropPlace("Drop cards (PNG, JSON, CHARX), lorebooks or chats here, or choose files:")
    answers = box("ul", classes="answers")
    attribute(answers, "role", "status")

    async def answered(event: GenericEventArguments) -> None:
        # Any: what the browser sent, which may be anything.
        told: Any = event.args if isinstance(event.args, dict) else {}
        name, taken = str(told.get("name", ""))[:_SHOWN], told.get("ok") is True
        with answers, box("li", classes="" if taken else "needs"):
            hint = str(told.get("hint", ""))[:_SHOWN]
            said = (
                "taken in" if taken else f"{str(told.get('said', ''))[:_SHOWN]}{'; ' if hint else ''}{hint}"
            )
            text("span", f"{name}: {said}")
        if taken:
            await frame.renew()

    place.on("answered", answered)
