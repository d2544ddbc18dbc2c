"""The part of a long list that a page shows: `named=` searches, `skip=` goes on, both in the address."""

from collections.abc import Callable, Collection, Sequence
from typing import TypeVar

from nicegui import ui

from gateway.ui import addresses
from gateway.ui.elements.html import box, link, text
from gateway.ui.visit import Visit
from penwright.domain.text.whole_numbers import whole_number
from penwright.ports.portions import Portion

Line = TypeVar("Line")

SHOWN = 200
"""Things on one page."""
_LONGEST = 200


def portion_of(visit: Visit, among: Collection[str] | None = None) -> Portion:
    """The portion that the address asks for; what is no number is taken as the beginning.

    Args:
        among: ids of those that the visitor may see; None: all.
    """
    skip = whole_number(visit.query.get("skip", "")) or 0
    named = "".join(filter(str.isprintable, visit.query.get("named", "")))[:_LONGEST].strip()
    return Portion(SHOWN, skip, named, among)


def cut(
    portion: Portion, lines: Sequence[Line], name_of: Callable[[Line], str]
) -> tuple[tuple[Line, ...], int]:
    """The portion of a list that the desk knows as a whole, and how many fit."""
    sought = portion.named.casefold()
    fitting = [each for each in lines if sought in name_of(each).casefold()]
    return tuple(fitting[portion.skip :][: portion.limit]), len(fitting)


def search(portion: Portion, count: int, *path: str, **query: str) -> None:
    """A field that searches by name, for a list that is longer than a page.

    Args:
        count: how many there are in all.
        path: of the page, below the mount; ``query``: what else stands in its address.
    """
    if count <= SHOWN and not portion.named:
        return
    field = ui.input("Search by name", value=portion.named)
    field.props('outlined dense clearable maxlength="200"')

    def sought() -> None:
        ui.navigate.to(addresses.page(*path, **query, named=(field.value or "").strip()))

    field.on("keydown.enter", sought)
    # The value that was cleared may still stand in the field here.
    field.on("clear", lambda: ui.navigate.to(addresses.page(*path, **query)))


def rest(portion: Portion, shown: int, count: int, *path: str, **query: str) -> None:
    """Which of how many are shown, and links to the others; nothing if all are shown."""
    if not count and portion.named:
        text("p", f"Nothing here is called “{portion.named}”.", classes="empty")
    if shown == count:
        return
    with box("nav", classes="row-of", label="More of the list"):
        first = f"{portion.skip + 1:,} to {portion.skip + shown:,}" if shown else "None"
        text("span", f"{first} of {count:,}")
        kept = {**query, "named": portion.named}
        if portion.skip:
            before = max(0, portion.skip - SHOWN)
            link("Those before", addresses.page(*path, **kept, skip=str(before or "")))
        if portion.skip + shown < count and shown:
            link("Show more", addresses.page(*path, **kept, skip=str(portion.skip + shown)))
