"""Places in a book's material that nobody has filled in: text in square brackets in place of an answer."""

import re
from collections.abc import Sequence

_MARK = r"^\s*(?:[-*]\s+|\d+\.\s+)?(?:\[[ xX]\]\s+)?"
_LABEL = r"(?:[^\[\]:]{1,40}:\s+|\[[^\[\]^]+\]:\s+)?"
_OPEN_PLACE = re.compile(rf"{_MARK}{_LABEL}\[(?!\^|[ xX]?\])[^\[\]]+\]\s*$")
"""``[The premise]``, ``- Name: [name]`` or ``- [name]: [what they are]``; no link, footnote or check box."""
_HEADING = re.compile(r"(#{1,6})\s")
_TABLE_WITHOUT_ROWS = re.compile(r"^\|.*\|[ \t]*\n\|[-:| \t]+\|[ \t]*\n(?!\|)", re.MULTILINE)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_END = 1
"""Level of what follows the last line; no heading stands above it."""


def filled_in(text: str) -> str:
    """Return ``text`` without its open places, and without headings that head nothing without them.

    A text without open places is returned as it is; one that only headings and comments are left of is empty.
    """
    lines = text.splitlines()
    left = [line for line in lines if not _OPEN_PLACE.match(line)]
    if len(left) == len(lines):
        return text
    body = _TABLE_WITHOUT_ROWS.sub("", "\n".join(left) + "\n")
    kept = re.sub(r"\n{3,}", "\n\n", "\n".join(_without_bare_headings(body.split("\n")))).strip()
    return f"{kept}\n" if _says_something(kept) else ""


def _without_bare_headings(lines: Sequence[str]) -> list[str]:
    """Drop each heading that is followed by one of its own level or above, or by nothing."""
    kept: list[str] = []
    following = _END
    for line in reversed(lines):
        heading = _HEADING.match(line)
        level = len(heading[1]) if heading else 0
        if heading and following and level >= following:
            continue
        kept.append(line)
        if line.strip():
            following = level
    return kept[::-1]


def _says_something(text: str) -> bool:
    return any(line.strip() and not _HEADING.match(line) for line in _COMMENT.sub("", text).splitlines())
