"""Texts in lines of a terminal, by the columns that their letters take."""

import os
import re
from collections.abc import Iterator
from typing import TextIO

from gateway.cli.tables import WIDTH, display_width
from penwright.domain.text.escaping import printable


def wrap(text: str, width: int, *, first: str = "", rest: str = "", commands: bool = False) -> list[str]:
    """The lines of one paragraph, none wider than ``width``; a word that is wider is broken.

    Args:
        first: begins the first line.
        rest: begins the others.
        commands: leave what stands between backticks on one line, however wide.
    """
    lines, line, is_empty = [], first, True
    narrow = max(2, width - max(display_width(first), display_width(rest)))
    for word in _units(text, narrow) if commands else _words(text, narrow):
        wanted = word if is_empty else f" {word}"
        if not is_empty and display_width(line) + display_width(wanted) > width:
            lines.append(line)
            line, wanted = rest, word
        line, is_empty = line + wanted, False
    return lines if is_empty else [*lines, line]


def wrapped(head: str, text: str, width: int = WIDTH) -> list[str]:
    """``head`` and ``text``, with the following lines under the text's first word."""
    told, indent = printable(head), display_width(head)
    if indent > width // 2:
        return wrap(f"{told}{printable(text)}", width, rest="   ", commands=True)
    return wrap(printable(text), width, first=told, rest=" " * indent, commands=True) or [told.rstrip()]


def _units(text: str, narrow: int) -> Iterator[str]:
    """Words, and whole commands."""
    for unit in UNITS.findall(text):
        yield from (unit,) if "`" in unit else _words(unit, narrow)


def _words(text: str, narrow: int) -> Iterator[str]:
    """Words, and parts of those that are too wide for a line."""
    for word in text.split():
        part = ""
        for sign in word if display_width(word) > narrow else ():
            if display_width(part + sign) > narrow:
                yield part
                part = ""
            part += sign
        yield part or word


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
