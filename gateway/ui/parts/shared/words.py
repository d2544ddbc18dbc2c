"""A field for words of a person: the browser keeps them until they are taken, no server changes them."""

from collections.abc import Awaitable, Callable
from pathlib import Path

from nicegui.element import Element
from nicegui.events import GenericEventArguments

from gateway.ui.elements.html import attribute
from gateway.ui.frame import Frame
from gateway.ui.parts.acting import acted

_FILES = Path(__file__).parents[2] / "editor"
LONGEST = 100_000
"""Characters of one field: what one message of a websocket carries with room to spare."""

Take = Callable[[str], Awaitable[str]]
"""Does something with the words and returns what to say."""


class WordsField(Element, component=_FILES / "words.js"):
    """The field; what is inserted into it stands beside its button."""

    def __init__(
        self, label: str, verb: str, *, place: str, text: str, icon: str, enter: bool, draft: str | None
    ) -> None:
        super().__init__()
        self._props.update(
            {"label": label, "verb": verb, "icon": icon, "text": text, "most": LONGEST, "enter": enter}
        )
        if draft is not None:
            self._props["draft"] = draft
        self._props["place"] = _kept_at(place)

    def show(self, text: str, *, place: str) -> None:
        """Fill it with ``text`` instead of the one at first, unless a person has typed into it."""
        self._props.update({"text": text, "place": _kept_at(place)})
        self.update()

    def focus(self) -> None:
        """Put the cursor into it."""
        self.run_method("focus")

    def focused_by(self, key: str) -> None:
        """Have the browser itself put the cursor into it when ``key`` is pressed outside a field."""
        attribute(self, "data-key", key)

    def stay_in_sight(self) -> None:
        """While it has the keyboard, scroll to it: what is inserted above pushes it away."""
        self.run_method("stay")

    def send(self) -> None:
        """Have the browser send what stands in it now."""
        self.run_method("send")

    def tell(self) -> None:
        """Have the browser say what stands in it, without sending it."""
        self.run_method("tell")

    def on_told(self, told: Callable[[str], Awaitable[None]]) -> None:
        """Call ``told`` with the words that the browser says stand here."""
        self.on("told", lambda event: told(_said(event)))

    def on_drafted(self, keep: Callable[[str], Awaitable[None]]) -> None:
        """Call ``keep`` with what stands here once it was typed; the browser forgets what is kept so."""

        async def drafted(event: GenericEventArguments) -> None:
            text = _said(event)
            await keep(text)
            self.run_method("stored", text)

        self.on("drafted", drafted)


def _kept_at(place: str) -> str:
    return f"penwright-words:{place}"


def _said(event: GenericEventArguments) -> str:
    return event.args[:LONGEST] if isinstance(event.args, str) else ""


def words(
    frame: Frame,
    label: str,
    verb: str,
    take: Take,
    *,
    place: str,
    text: str = "",
    icon: str = "",
    enter: bool = False,
    draft: str | None = None,
) -> WordsField:
    """A field whose words are given to ``take``; a refusal is said, and the words stay.

    Args:
        place: names the field in the browser, the same after every reload.
        text: what stands in it at first.
        enter: whether Enter sends and Shift+Enter begins a line; otherwise Ctrl+Enter sends.
        draft: what the server keeps of words that were not sent; None: it keeps nothing of them.
    """
    field = WordsField(label, verb, place=place, text=text, icon=icon, enter=enter, draft=draft)

    async def sent(event: GenericEventArguments) -> None:
        async def act() -> str:
            return await take(_said(event))

        if await acted(frame, act):
            field.run_method("taken")
            await frame.renew()

    field.on("sent", sent)
    return field
