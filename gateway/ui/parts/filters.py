"""Filters of a list; they stand in the address, so that a link shows what its sender saw."""

from collections.abc import Mapping

from gateway.ui import addresses
from gateway.ui.parts.html import attribute, box, link


def filters(label: str, name: str, choices: Mapping[str, str], query: Mapping[str, str], *path: str) -> None:
    """Links that set one part of the query and keep the others.

    Args:
        choices: what each value of ``name`` is called.
    """
    with box("nav", label=label), box("ul", classes="filters"):
        for value, called in choices.items():
            with box("li"):
                shown = link(called, addresses.page(*path, **{**query, name: value}))
            if value == query.get(name, ""):
                attribute(shown, "aria-current", "true")
