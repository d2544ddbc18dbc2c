"""What every page has: header, rail, breadcrumb, heading, live region, and the keys."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from nicegui import ui

from gateway.ui import addresses
from gateway.ui.parts.html import attribute, box, link, text
from gateway.ui.parts.keys import Keys

Crumb = tuple[str, str]
"""What a breadcrumb shows, and its address."""

RAIL: tuple[tuple[str, str, str], ...] = (
    ("Board", "dashboard", "/"),
    ("Books", "menu_book", "/books"),
    ("Manuscripts", "article", "/manuscripts"),
    ("Scenes", "theater_comedy", "/scenes"),
    ("Runs", "timeline", "/runs"),
)
"""The pages that the rail leads to: name, icon, address below the mount."""


class Frame:
    """The frame of one page."""

    def __init__(self, title: str, keys: Keys) -> None:
        self.title = title
        self.keys = keys
        self._status = box(classes="said")
        attribute(self._status, "role", "status")

    def say(self, said: str) -> None:
        """Show a sentence at the foot of the page; a reader of the screen hears it."""
        self._status.clear()
        with self._status:
            text("span", said)


@contextmanager
def frame(
    title: str, *, here: str, crumbs: Sequence[Crumb] = (), waiting: int | None = None
) -> Iterator[Frame]:
    """Build a page around what the ``with`` block builds.

    Args:
        here: the address in the rail under which the page lies.
        waiting: how many things wait for a person; None if that is not known.
    """
    ui.page_title(f"{title} · Penwright")
    keys = Keys()
    drawer = _rail(here)
    _header(drawer, keys, waiting)
    with box(classes="content") as content:
        if crumbs:
            _breadcrumb(crumbs, title)
        text("h1", title)
        made = Frame(title, keys)
        yield made
    ui.skip_link("Skip to the content", target=content)


def _header(drawer: ui.left_drawer, keys: Keys, waiting: int | None) -> None:
    with ui.header().classes("top"):
        menu = ui.button(icon="menu", on_click=drawer.toggle, color=None).props("flat round dense")
        menu.classes("menu")
        attribute(menu, "aria-label", "Pages")
        link("Penwright", "/", classes="brand")
        box(classes="spread")
        keys.palette_button()
        if waiting is not None:
            _badge(waiting)


def _badge(waiting: int) -> None:
    shown = link(f"{waiting} waiting" if waiting else "nothing waits", "/", classes="badge")
    if waiting:
        shown.classes("some")
    attribute(
        shown, "aria-label", f"{waiting} waiting for a person" if waiting else "nothing waits for a person"
    )


def _rail(here: str) -> ui.left_drawer:
    with (
        ui.left_drawer(bordered=True).classes("rail").props("width=200") as drawer,
        box("nav", label="Pages"),
    ):
        for name, icon, address in RAIL:
            with link("", address, classes="place") as place:
                attribute(ui.icon(icon), "aria-hidden", "true")
                text("span", name)
            if address == here:
                attribute(place, "aria-current", "page")
    return drawer


def _breadcrumb(crumbs: Sequence[Crumb], title: str) -> None:
    with box("nav", classes="crumbs", label="Breadcrumb"), box("ol"):
        for shown, address in crumbs:
            with box("li"):
                link(shown, address)
        with box("li"):
            attribute(text("span", title), "aria-current", "page")


__all__ = ["RAIL", "Crumb", "Frame", "addresses", "frame"]
