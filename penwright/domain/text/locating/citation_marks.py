"""Inline citations as they stand in a text: ``[[@type{key, …}]]``, ``[see @key, p. 3]``, ``\\cite{key}``."""

import re

_OPENING = "[[@"
_CLOSING = "]]"
_MARK = re.compile(
    r"\[\[@"
    r"|\[(?:[^\]\[\n]{0,200}[\s;])?-?@[^\]\[\n]{1,500}\]"
    r"|\\[A-Za-z]{0,20}cite[A-Za-z]{0,20}\*?(?:\[[^\]\n]{0,200}\]){0,2}\{[^{}]{1,500}\}"
)
_SIGN = re.compile(r"\\.|[{}]|\]\]|\[\[@", re.DOTALL)
"""Signs that count inside an entry; what a backslash escapes does not."""


def citation_marks(text: str) -> tuple[str, ...]:
    """All inline citations, letter for letter, in order; those of Pandoc and LaTeX as well.

    Brackets inside an entry's braces do not end it. Of one that never ends only its opening is returned.
    """
    marks, at = [], 0
    while found := _MARK.search(text, at):
        at = found.end()
        if found[0] == _OPENING:
            at = _end(text, at) or at
        marks.append(text[found.start() : at])
    return tuple(marks)


def _end(text: str, at: int) -> int | None:
    """The place after the closing brackets; None if the entry never ends, or another one begins first."""
    depth = 0
    for sign in _SIGN.finditer(text, at):
        if sign[0] in ("{", "}"):
            depth += 1 if sign[0] == "{" else -1
        elif sign[0] == _OPENING:
            return None
        elif sign[0] == _CLOSING and depth <= 0:
            return sign.end()
    return None
