"""A place onto which files are dropped; they go to the API, which checks them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode

from nicegui import ui
from nicegui.element import Element
from nicegui.events import GenericEventArguments

from gateway.desk.worlds.kinds import WORLD
from gateway.ui import addresses
from gateway.ui.elements.html import attribute, box, link, text
from gateway.ui.elements.next_steps import words_for
from gateway.ui.frame import Frame
from gateway.ui.parts.shared.choosing import Choosing
from gateway.ui.visit import Visit
from penwright.domain.cards.refusals import MOST_FILE_BYTES

_FILES = Path(__file__).parents[2] / "editor"
_SHOWN = 300
_PLACES = {
    "character": ("worlds", "characters"),
    "lorebook": ("worlds", "lorebooks"),
    "scene": ("scenes",),
}


class Made(NamedTuple):
    """Result of taking in a file, as the browser tells it."""

    kind: str
    """``character``, ``lorebook`` or ``scene``; empty for a work of its own."""
    id: str
    called: str


class DropPlace(Element, component=_FILES / "drop.js"):
    """Sends files to the API and says what it answered."""

    def __init__(self, label: str, accept: str, into: str = "") -> None:
        super().__init__()
        self._props.update(
            {"label": label, "most": MOST_FILE_BYTES, "accept": accept, "into": into, "wishes": ""}
        )

    def ask(self, **wishes: str) -> None:
        """Send these with each file or chat from now on, as parameters of the address, if not empty."""
        self._props["wishes"] = urlencode({name: said for name, said in wishes.items() if said})
        self.update()


async def drop(visit: Visit, frame: Frame) -> None:
    """A place for cards, lorebooks and chats, the world of the chats, and what became of each file."""
    label = "Drop cards (PNG, WebP, JSON, YAML, CHARX), lorebooks or chats here, or choose files:"
    place = DropPlace(label, ".png,.webp,.json,.jsonl,.yaml,.yml,.charx")
    world = Choosing(visit, WORLD, "World of chats", several=False, hint="a chat becomes a scene of it")
    await world.offer()
    world.choose_only("none yet: a chat needs a world to play in")

    def asked() -> None:
        place.ask(world=next(iter(world.chosen), ""))

    world.on_chosen(asked)
    asked()
    _answering(frame, place, _said)


def drop_texts(frame: Frame, into: str) -> None:
    """A place for texts that become works of their own; ``into``: ``books`` or ``manuscripts``."""

    def made(told: Made) -> None:
        if told.id:
            segments = [told.id] if into == "books" else [told.id, "-"]
            link("it is open here", addresses.page(into, *segments))

    label = "Drop a text (Markdown, DOCX, EPUB, HTML, plain text) here, or choose a file:"
    chapters = _chapters() if into == "books" else None
    place = DropPlace(label, ".md,.txt,.docx,.epub,.html,.htm,.tex", into)
    if chapters:
        chapters.on_value_change(lambda event: place.ask(chapters_at=str(event.value or "").strip()))
    _answering(frame, place, made)


def _chapters() -> ui.input:
    """A field for where the chapters of a file begin."""
    field = ui.input("Where chapters begin, if it is not found").props('outlined dense maxlength="200"')
    field.props["hint"] = "A level of headings from 1 to 6, or how their lines begin, such as Scene [0-9]+"
    return field


def _said(told: Made) -> None:
    """Say what the file is now, with the way to it."""
    if told.kind not in _PLACES:
        text("span", "taken in")
        return
    text("span", f"taken in as a {told.kind}: ")
    link(told.called or told.id, addresses.page(*_PLACES[told.kind], told.id))


def _answering(frame: Frame, place: DropPlace, made: Callable[[Made], None]) -> None:
    answers = box("ul", classes="answers")
    attribute(answers, "role", "status")

    async def answered(event: GenericEventArguments) -> None:
        # Any: what the browser sent, which may be anything.
        told: Any = event.args if isinstance(event.args, dict) else {}
        name, taken = str(told.get("name", ""))[:_SHOWN], told.get("ok") is True
        with answers, box("li", classes="" if taken else "needs"):
            text("span", f"{name}: ")
            if taken:
                made(Made(*(str(told.get(key, ""))[:_SHOWN] for key in ("kind", "made", "called"))))
            else:
                text("span", _refusal(told))
        if taken and made is _said:
            await frame.renew()

    place.on("answered", answered)


# Any: as above.
def _refusal(told: Any) -> str:
    """Explain why a file was not taken in, and what to do."""
    said, code, hint = (str(told.get(key, ""))[:_SHOWN] for key in ("said", "code", "hint"))
    return "; ".join(filter(None, (said, words_for(code, hint))))
