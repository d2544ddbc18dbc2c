"""Long lines on a terminal: broken between words, and never inside of a command."""

import os
import re
from typing import TextIO

from gateway.cli.tables import display_width

UNITS = re.compile(r"[^\s`]*`[^`]*`\S*|\S+")
"""A word, or a command in backticks with what touches it: it can be copied only while it is one line."""
_INDENT = "  "


def fitted(text: str, stream: TextIO) -> str:
    """The text for ``stream``: as it is, unless that is a terminal with narrower lines."""
    width = columns_of(stream)
    return "\n".join(folded(line, width) for line in text.split("\n")) if width else text


def folded(line: str, width: int) -> str:
    """One line, broken where it is wider than ``width`` columns; a wider word or command stays whole."""
    if display_width(line) <= width:
        return line
    indent = line[: len(line) - len(line.lstrip())]
    lines = [indent]
    for unit in UNITS.findall(line):
        wanted = unit if lines[-1].isspace() or not lines[-1] else f" {unit}"
        if len(wanted) > len(unit) and display_width(lines[-1] + wanted) > width:
            lines.append(indent + _INDENT)
            wanted = unit
        lines[-1] += wanted
    return "\n".join(lines)


def columns_of(stream: TextIO) -> int:
    """Columns of a terminal; 0 if ``stream`` is none, or does not tell them."""
    try:
        return os.get_terminal_size(stream.fileno()).columns if stream.isatty() else 0
    except (OSError, ValueError):
        return 0
