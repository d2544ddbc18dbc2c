"""A place onto which files are dropped; they go to the API, which checks them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from nicegui.element import Element
from nicegui.events import GenericEventArguments

from gateway.ui import addresses
from gateway.ui.frame import Frame
from gateway.ui.parts.html import attribute, box, link, text
from penwright.domain.cards.refusals import MOST_FILE_BYTES

_FILES = Path(__file__).parents[2] / "editor"
_SHOWN = 300
_KEYS = ("said", "hint")


class DropPlace(Element, component=_FILES / "drop.js"):
    """Sends files to the API and says what it answered."""

    def __init__(self, label: str, accept: str, into: str = "") -> None:
        super().__init__()
        self._props.update({"label": label, "most": MOST_FILE_BYTES, "accept": accept, "into": into})


def drop(frame: Frame) -> None:
    """A place for cards, lorebooks and chats, and below it what became of each file."""
    label = "Drop cards (PNG, JSON, CHARX), lorebooks or chats here, or choose files:"
    _answering(frame, DropPlace(label, ".png,.json,.jsonl,.charx"), _said)


def drop_texts(frame: Frame, into: str) -> None:
    """A place for texts that become works of their own; ``into``: ``books`` or ``manuscripts``."""

    def made(id: str) -> None:
        if id:
            link("it is open here", addresses.page(into, *([id] if into == "books" else [id, "-"])))

    label = "Drop a text (Markdown, DOCX, EPUB, HTML, plain text) here, or choose a file:"
    _answering(frame, DropPlace(label, ".md,.txt,.docx,.epub,.html,.htm,.tex", into), made)


def _said(id: str) -> None:
    text("span", "taken in")


def _answering(frame: Frame, place: DropPlace, made: Callable[[str], None]) -> None:
    answers = box("ul", classes="answers")
    attribute(answers, "role", "status")

    async def answered(event: GenericEventArguments) -> None:
        # Any: what the browser sent, which may be anything.
        told: Any = event.args if isinstance(event.args, dict) else {}
        name, taken = str(told.get("name", ""))[:_SHOWN], told.get("ok") is True
        with answers, box("li", classes="" if taken else "needs"):
            text("span", f"{name}: ")
            if taken:
                made(str(told.get("made", ""))[:_SHOWN])
            else:
                text("span", "; ".join(filter(None, (str(told.get(key, ""))[:_SHOWN] for key in _KEYS))))
        if taken and made is _said:
            await frame.renew()

    place.on("answered", answered)
