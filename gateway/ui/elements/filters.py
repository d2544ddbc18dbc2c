"""Filters of a list; they stand in the address, so that a link shows what its sender saw."""

from collections.abc import Mapping

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
