"""Frame of every page: header, rail, breadcrumb, heading, live region, and the keys."""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from weakref import WeakKeyDictionary

from cachetools import TTLCache
from nicegui import Client, ui

from gateway.ui import addresses
from gateway.ui.elements.html import attribute, box, inline, link, text
from gateway.ui.elements.keys import Keys

Crumb = tuple[str, str]
"""Label of a breadcrumb, and its address."""

RAIL: tuple[tuple[str, str, str], ...] = (
    ("Board", "dashboard", "/"),
    ("Books", "menu_book", "/books"),
    ("Manuscripts", "article", "/manuscripts"),
    ("Scenes", "theater_comedy", "/scenes"),
    ("Worlds", "public", "/worlds"),
    ("Runs", "timeline", "/runs"),
    ("Spending", "payments", "/spending"),
    ("Schedules", "schedule", "/schedules"),
    ("Health", "monitor_heart", "/health"),
    ("Settings", "tune", "/settings"),
)
"""The pages that the rail leads to: name, icon, address below the mount."""
_BEHAVIOUR = "Quasar.Screen.gt.sm ? 'desktop' : 'mobile'"
"""Beside the page from 1024 pixels on, over it below; the browser works it out anew when that changes."""


class Frame:
    """The frame of one page."""

    def __init__(self, title: str, keys: Keys, badge: ui.element, notices: ui.element) -> None:
        self.title = title
        self.keys = keys
        self.notices = notices
        """The place for what concerns every page, above the heading."""
        self.client = ui.context.client
        self.counted = False
        """Whether the page itself shows how many things wait."""
        self.renew: Callable[[], Awaitable[None]] = self._loaded_again
        """Shows what was changed: loads the page again, or, of a page that changes in place, reads again."""
        self.recount: Callable[[], None] = _counted_elsewhere
        """Counts again what waits, a little later; pages that count it themselves do nothing."""
        self._said = ""
        self._badge = badge
        self._status = box(classes="said")
        attribute(self._status, "role", "status")

    def say(self, said: str, leads: Crumb | None = None) -> None:
        """Show a sentence at the foot of the page; a reader of the screen hears it.

        Args:
            leads: a link behind it, to what was made.
        """
        self._said = said
        self._status.clear()
        with self._status, box("span"):
            inline(said)
            if leads:
                link(*leads)

    async def _loaded_again(self) -> None:
        _CARRIED[_visited(self.client)] = self._said
        ui.navigate.reload()

    def say_again(self) -> None:
        """Say what was said before the page loaded itself again, until a browser has the page."""
        visited = _visited(self.client)
        if said := _CARRIED.get(visited, ""):
            self.say(said)
            self.client.on_connect(lambda: _CARRIED.pop(visited, None))

    def waiting(self, count: int) -> None:
        """Show at the top how many things wait for a person."""
        self.counted = True
        shown = f"{count} waiting" if count else "nothing waits"
        self._badge.clear()
        with self._badge:
            place = link(shown, "/", classes="badge some" if count else "badge")
        attribute(place, "aria-label", f"{shown} for a person")


_CARRIED: TTLCache[tuple[str, str], str] = TTLCache(maxsize=200, ttl=60)
"""Last message of a page that reloads itself, by visitor and path: it is shown once more there."""


def _visited(client: Client) -> tuple[str, str]:
    principal = client.request.scope.get("state", {}).get("principal")
    return getattr(principal, "name", ""), client.request.url.path


def _counted_elsewhere() -> None:
    """The page counts what waits itself."""


_FRAMES: WeakKeyDictionary[Client, Frame] = WeakKeyDictionary()


def frame_of(client: Client) -> Frame | None:
    """The frame of a page that was built."""
    return _FRAMES.get(client)


@contextmanager
def frame(
    title: str, *, here: str, crumbs: Sequence[Crumb] = (), waiting: int | None = None
) -> Iterator[Frame]:
    """Build a page around what the ``with`` block builds.

    Args:
        here: the address in the rail under which the page lies.
        waiting: how many things wait for a person; None if the page does not count them itself.
    """
    ui.page_title(f"{title} · Penwright")
    keys = Keys()
    drawer = _rail(here)
    badge = _header(drawer, keys)
    with box(classes="content") as content:
        notices = box(classes="notices")
        if crumbs:
            _breadcrumb(crumbs, title)
        text("h1", title)
        made = Frame(title, keys, badge, notices)
        _FRAMES[made.client] = made
        if waiting is not None:
            made.waiting(waiting)
        made.say_again()
        yield made
    ui.skip_link("Skip to the content", target=content)


@contextmanager
def guest_frame(title: str) -> Iterator[Frame]:
    """Build a page for a guest around what the ``with`` block builds: it leads to no other page."""
    ui.page_title(f"{title} · Penwright")
    keys = Keys(palette=False)
    with ui.header().classes("top"):
        text("span", "Penwright", classes="brand")
    with box(classes="content") as content:
        text("h1", title)
        made = Frame(title, keys, box(), box(classes="notices"))
        yield made
    ui.skip_link("Skip to the content", target=content)


def _header(drawer: ui.element, keys: Keys) -> ui.element:
    """The header; returns the place of the badge."""
    with ui.header().classes("top"):
        menu = ui.button(icon="menu", color=None).props("flat round dense")
        menu.on_click(lambda: drawer.run_method("toggle"))
        menu.classes("menu")
        attribute(menu, "aria-label", "Pages")
        link("Penwright", "/", classes="brand")
        box(classes="spread")
        keys.palette_button()
        return box()


def _rail(here: str) -> ui.element:
    with _drawer() as drawer, box("nav", label="Pages"):
        for name, icon, address in RAIL:
            with link("", address, classes="place") as place:
                attribute(ui.icon(icon), "aria-hidden", "true")
                text("span", name)
            if address == here:
                attribute(place, "aria-current", "page")
    return drawer


def _drawer() -> ui.element:
    """A drawer that the browser alone opens and closes, by the width of its window.

    NiceGUI's own asks the browser whether it is open, and tells it so again: late, after a window has become
    narrow, that opens it over the page. And Quasar's stays over the page in a window that grows while it is
    open, unless its behaviour is said to it.
    """
    client = ui.context.client
    with client.layout:
        drawer = ui.element("q-drawer").classes("nicegui-drawer rail")
    drawer.move(target_index=client.layout.default_slot.children.index(client.page_container))
    drawer.props("show-if-above bordered width=200")
    attribute(drawer, ":behavior", _BEHAVIOUR)
    attribute(client.layout, "view", "hHh Lpr fff")
    return drawer


def _breadcrumb(crumbs: Sequence[Crumb], title: str) -> None:
    with box("nav", classes="crumbs", label="Breadcrumb"), box("ol"):
        for shown, address in crumbs:
            with box("li"):
                link(shown, address)
        with box("li"):
            attribute(text("span", title), "aria-current", "page")


__all__ = ["RAIL", "Crumb", "Frame", "addresses", "frame", "frame_of", "guest_frame"]
