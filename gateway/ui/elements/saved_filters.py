"""Filters of a list that a person saves in the own browser, to come back to them."""

from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlencode

from nicegui.element import Element

from gateway.ui import addresses

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
