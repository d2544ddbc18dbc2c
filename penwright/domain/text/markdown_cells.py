"""Any string as one cell of a Markdown table, and back: nothing in it can be taken for Markdown or HTML."""

import re

_RISKY = re.compile(
    r"[\\`*\[\]<>|&~$]"
    r"|(?<![^\W_])_|_(?![^\W_])"  # one inside a word emphasizes nothing
    r"|^ +| +$"
)
_REFERENCE = re.compile(r"&#([0-9]{1,7});")
_BETWEEN = " / "
NOTHING = "(none)"
"""Represents an empty string."""
TOP = "(no heading)"
"""Represents an empty heading path."""


def cell(value: str) -> str:
    """One line of plain text; what could mean something is written as ``&#n;``."""
    if not value:
        return NOTHING
    if value in (NOTHING, TOP):
        return _references(value[0]) + value[1:]
    text = _RISKY.sub(lambda found: _references(found[0]), value)
    return text if text.isprintable() else "".join(map(_shown, text))


def value_of(text: str) -> str:
    """Undo ``cell``. Raises ``ValueError`` for what it never makes."""
    return "" if text == NOTHING else _REFERENCE.sub(lambda found: chr(int(found[1])), text)


def path_cell(titles: tuple[str, ...]) -> str:
    """Headings, outermost first, as one cell."""
    return _BETWEEN.join(cell(title).replace("/", _references("/")) for title in titles) or TOP


def path_of(text: str) -> tuple[str, ...]:
    """Undo ``path_cell``."""
    return () if text == TOP else tuple(map(value_of, text.split(_BETWEEN)))


def _shown(sign: str) -> str:
    return sign if sign.isprintable() else _references(sign)


def _references(signs: str) -> str:
    return "".join(f"&#{ord(sign)};" for sign in signs)
