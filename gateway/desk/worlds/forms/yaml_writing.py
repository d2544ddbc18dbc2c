"""JSON values as YAML that people like to edit: long text as blocks, short text without quotes."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

_PLAIN = re.compile(r"[^\W\d_](?:[\w '’()/.;!?-]*[\w'’()/.;!?-])?")
_RESERVED = {"true", "false", "null", "yes", "no", "on", "off", "y", "n"}
"""Words that some reader of YAML takes for something else than text."""
_INDENT = "  "


def entry_lines(name: str, value: Any, *, long: bool = False) -> list[str]:  # Any: JSON
    """Return the lines of ``name: value``; reading them gives exactly the value back.

    Args:
        long: write text as a block even if it has one line or none, so that a person can go on below it.
    """
    return _entry(f"{_scalar(name)}:", value, long=long)


def _entry(head: str, value: Any, *, long: bool) -> list[str]:
    if isinstance(value, str):
        return _text(head, value, long=long)
    if isinstance(value, Mapping) and value:
        inner = [line for key, each in value.items() for line in entry_lines(str(key), each)]
        return [head, *_indented(inner)]
    if isinstance(value, Sequence) and value:
        inner = [line for each in value for line in _item(each, long=long)]
        return [head, *_indented(inner)]
    return [f"{head} {_scalar(value)}"]


def _item(value: Any, *, long: bool) -> list[str]:
    """Return the lines of one item; collections within a list are written in one line."""
    if isinstance(value, str):
        return _text("-", value, long=long)
    return [f"- {_scalar(value)}"]


def _indented(lines: Sequence[str]) -> list[str]:
    return [f"{_INDENT}{line}" if line else line for line in lines]


def _text(head: str, value: str, *, long: bool) -> list[str]:
    if not (long or "\n" in value) or not _fits_block(value):
        return [f"{head} {_scalar(value)}"]
    if not value:
        return [f"{head} |-"]
    end = "" if value.endswith("\n") else "-"
    # A first line that begins with a blank would be taken for the indentation of all lines.
    mark = "2" if value.lstrip("\n").startswith(" ") else ""
    return [f"{head} |{mark}{end}", *_indented(value.removesuffix("\n").split("\n"))]


def _fits_block(value: str) -> bool:
    """Whether a block gives the text back: no control characters, and one line break at its end at most."""
    lines = value.removesuffix("\n").split("\n")
    return all(map(str.isprintable, lines)) and (not value or bool(lines[-1].strip()))


def _scalar(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        plain = _PLAIN.fullmatch(value) and value.lower() not in _RESERVED and value.isprintable()
        return value if plain else _quoted(value)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_quoted(str(key))}: {_flow(each)}" for key, each in value.items()) + "}"
    if isinstance(value, Sequence):
        return "[" + ", ".join(map(_flow, value)) + "]"
    return repr(value)


def _flow(value: Any) -> str:
    return _quoted(value) if isinstance(value, str) else _scalar(value)


def _quoted(value: str) -> str:
    return '"' + "".join(map(_escaped, value)) + '"'


def _escaped(sign: str) -> str:
    if sign in '"\\':
        return f"\\{sign}"
    if sign.isprintable():
        return sign
    code = ord(sign)
    return "\\n" if sign == "\n" else f"\\x{code:02x}" if code < 0x100 else f"\\U{code:08x}"
