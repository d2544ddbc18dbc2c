"""Filters of a list: they stand in the address, and a person can save them in the own browser."""

from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlencode

from nicegui.element import Element

from gateway.ui import addresses
from gateway.ui.elements.html import attribute, box, link


def filters(
    label: str, name: str, choices: Mapping[str, str], query: Mapping[str, str], *path: str, at: str = ""
) -> None:
    """Links that set one part of the query and keep the others.

    Args:
        choices: what each value of ``name`` is called.
        at: id of the filters in the page, for a page that is opened at them and not at its top.
    """
    fragment = f"#{at}" if at else ""
    with box("nav", label=label) as nav, box("ul", classes="filters"):
        for value, called in choices.items():
            with box("li"):
                shown = link(called, addresses.page(*path, **{**query, name: value}) + fragment)
            if value == query.get(name, ""):
                attribute(shown, "aria-current", "true")
    if at:
        attribute(nav, "id", at)


_FILES = Path(__file__).parents[1] / "editor"


class SavedFilters(Element, component=_FILES / "filters.js"):
    """Links to the filters that were saved, and a button that saves those that are set."""

    def __init__(self, wanted: Mapping[str, str], called: str, *path: str) -> None:
        """The saved filters of one page.

        Args:
            wanted: the filters that are set; empty ones do not count.
            called: what they are called together.
            path: of the page, below the mount.
        """
        super().__init__()
        query = urlencode({name: value for name, value in wanted.items() if value})
        self._props.update({"path": addresses.BASE + addresses.page(*path), "query": query, "name": called})
