"""Keys of a page, the list of them, and the palette that leads to every page."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from nicegui import ui
from nicegui.events import GenericEventArguments

from gateway.ui.elements.html import attribute, box, link, text

_PLACES: tuple[tuple[str, str], ...] = (
    ("Board: what waits, what runs", "/"),
    ("Books", "/books"),
    ("Manuscripts", "/manuscripts"),
    ("Scenes", "/scenes"),
    ("Worlds, people and lorebooks", "/worlds"),
    ("Runs", "/runs"),
    ("Spending: caps, models, days", "/spending"),
    ("Schedules", "/schedules"),
    ("Health: the checks of doctor", "/health"),
    ("Settings: models and keys", "/settings"),
)


@dataclass(frozen=True, slots=True)
class _Key:
    says: str
    does: Callable[[], Awaitable[None] | None]


class Keys:
    """The keys of one page."""

    def __init__(self, *, palette: bool = True) -> None:
        """``palette``: False for pages of guests, who may go nowhere else."""
        self._keys: dict[str, _Key] = {}
        self._places = list(_PLACES)
        self._palette = _Palette(self._places) if palette else None
        self.on("?", "shows these keys", self._show)
        ui.on("penwright-key", self._pressed)

    def on(self, key: str, says: str, does: Callable[[], Awaitable[None] | None]) -> None:
        """Call ``does`` when ``key`` is pressed outside a field."""
        self._keys[key] = _Key(says, does)

    def lead_to(self, shown: str, address: str) -> None:
        """Another place in the palette."""
        self._places.append((shown, address))

    def palette_button(self) -> None:
        """The button that opens the palette."""
        button = ui.button("Go to …", on_click=self._go, color=None).props("flat no-caps dense icon=search")
        button.classes("find")
        attribute(button, "aria-label", "Go to …")  # in narrow windows the icon alone is shown
        attribute(button, "aria-keyshortcuts", "Control+K")

    def hint(self, *told: tuple[str, str]) -> None:
        """A line that names the most useful keys of the page; ``?`` lists all."""
        with box("p", classes="hint"):
            for key, says in (*told, ("?", "all keys")):
                text("kbd", key)
                text("span", says)

    async def _pressed(self, event: GenericEventArguments) -> None:
        pressed = event.args[0] if isinstance(event.args, list) and event.args else event.args
        if pressed == "palette":
            await self._go()
        elif isinstance(pressed, str) and pressed in self._keys:
            done = self._keys[pressed].does()
            if done is not None:
                await done

    async def _go(self) -> None:
        if self._palette is not None:
            await self._palette.open()

    async def _show(self) -> None:
        with ui.dialog(value=True) as dialog, box(classes="sheet", label="Keys"):
            attribute(dialog, "aria-label", "Keys")
            text("h2", "Keys")
            with box("dl", classes="keys"):
                palette = [("Ctrl+K", _Key("goes to a page", self._go))] if self._palette else []
                for key, each in (*palette, *self._keys.items()):
                    with box("dt"):
                        text("kbd", key)
                    text("dd", each.says)
            ui.button("Close", on_click=dialog.close, color=None).props("no-caps unelevated").classes("plain")


class _Palette:
    """A field, and the places that fit what is typed there."""

    def __init__(self, places: list[tuple[str, str]]) -> None:
        self._all = places
        with ui.dialog().props('position="top"') as self._dialog, box(classes="sheet palette"):
            attribute(self._dialog, "aria-label", "Go to")
            self._field = ui.input("Go to", on_change=self._filter).props("autofocus outlined dense")
            self._found = box("ul", classes="places")
        self._field.on("keydown.enter", self._go)

    async def open(self) -> None:
        self._field.value = ""
        self._filter()
        self._dialog.open()

    def _fitting(self) -> list[tuple[str, str]]:
        typed = self._field.value.casefold() if isinstance(self._field.value, str) else ""
        words = typed.split()
        found = [each for each in self._all if all(word in each[0].casefold() for word in words)]
        return sorted(found, key=lambda each: not each[0].casefold().startswith(typed.strip()))

    def _filter(self) -> None:
        self._found.clear()
        with self._found:
            for shown, address in self._fitting()[:12]:
                with box("li"):
                    link(shown, address)

    def _go(self) -> None:
        found = self._fitting()
        if found:
            ui.navigate.to(found[0][1])
