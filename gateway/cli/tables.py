"""Tables and texts that fit into 80 columns, whatever names people give."""

import textwrap
import unicodedata
from collections.abc import Iterable, Sequence

from penwright.domain.text.escaping import printable

WIDTH = 80
_GAP = 2
_LEAST = 4
"""Columns of a cell that has to give way."""


def table(rows: Iterable[Sequence[str]]) -> list[str]:
    """Return the lines of a table; its first column, the ids, stays whole, the widest others are cut."""
    listed = [[printable(" ".join(cell.split())) for cell in row] for row in rows]
    widths = [max(map(display_width, column)) for column in zip(*listed, strict=True)]
    while sum(widths) + _GAP * (len(widths) - 1) > WIDTH and max(widths[1:]) > _LEAST:
        widest = max(range(1, len(widths)), key=lambda each: widths[each])
        widths[widest] -= 1
    return [
        (" " * _GAP).join(_cell(cell, width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in listed
    ]


def block(text: str) -> list[str]:
    """Return the lines of a text, two blanks in, wrapped."""
    return [
        f"  {line}".rstrip()
        for paragraph in text.splitlines()
        for line in textwrap.wrap(printable(paragraph), WIDTH - _GAP) or [""]
    ]


def display_width(text: str) -> int:
    """Return the columns that a text takes on a terminal."""
    return sum(map(_width, text))


def cut(text: str, width: int) -> str:
    """Return the text, shortened to ``width`` columns with an ellipsis if it has more."""
    if display_width(text) <= width:
        return text
    kept, room = "", width - 1
    for sign in text:
        room -= _width(sign)
        if room < 0:
            break
        kept += sign
    return f"{kept}…"


def _cell(text: str, width: int) -> str:
    shown = cut(text, width)
    return shown + " " * (width - display_width(shown))


def _width(sign: str) -> int:
    if unicodedata.combining(sign):
        return 0
    return 2 if unicodedata.east_asian_width(sign) in "WF" else 1
