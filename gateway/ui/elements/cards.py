"""Works as a list of cards."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from gateway.ui.elements.html import box, text
from gateway.ui.elements.problem import trouble

Line = TypeVar("Line")


def cards(
    lines: Sequence[Line],
    card: Callable[[Line], None],
    *,
    missing: str,
    none: str,
    command: str,
) -> None:
    """A card for each line.

    Args:
        missing: why it is not known what runs now; empty if it is.
        none: what to say without any line.
        command: the command that makes the first; the page has a button of its own for it.
    """
    if missing:
        trouble(missing)
    if not lines:
        with box(classes="empty"):
            text("p", none)
            text("span", "On a terminal: ")
            text("code", command)
        return
    with box("ul", classes="cards"):
        for line in lines:
            card(line)
