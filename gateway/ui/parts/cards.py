"""Works as a list of cards."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from gateway.ui.parts.html import box, link, text
from gateway.ui.parts.problem import trouble

Line = TypeVar("Line")


def cards(
    lines: Sequence[Line],
    card: Callable[[Line], None],
    *,
    missing: str,
    none: str,
    command: str,
    begin: tuple[str, str] = ("", ""),
) -> None:
    """A card for each line.

    Args:
        missing: why it is not known what runs now; empty if it is.
        none: what to say without any line.
        command: the command that makes the first.
        begin: the page that begins one, as it is called and its address; empty: a command alone does.
    """
    if missing:
        trouble(missing)
    if not lines:
        with box(classes="empty"):
            text("p", none)
            if begin[1]:
                with box("p"):
                    link(*begin, classes="button")
                text("span", "or on a terminal: ")
            text("code", command)
        return
    with box("ul", classes="cards"):
        for line in lines:
            card(line)
