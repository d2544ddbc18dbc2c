"""Shorten a text to a number of tokens, at the border of a word."""

import re
from collections.abc import Callable, Sequence
from typing import Literal

Count = Callable[[Sequence[str]], tuple[int, ...]]
"""Returns the tokens of each text."""
CUT = "[…]"
"""Stands where text was left out."""
_WORD_END = re.compile(r"(?<=\S)(?=\s)")
_LONGEST_WORD = 60
"""A text without spaces is cut between letters."""


def shortened(text: str, room: int, count: Count, keep: Literal["start", "end"] = "start") -> str:
    """Return as much of ``text`` as fits ``room`` tokens with the mark ``CUT``; empty if nothing does."""
    if count([text])[0] <= room:
        return text
    kept = 0
    low, high = 0, len(text) - 1
    while low <= high:
        middle = (low + high) // 2
        if count([_marked(text, middle, keep)])[0] <= room:
            kept, low = middle, middle + 1
        else:
            high = middle - 1
    return _marked(text, kept, keep) if kept else ""


def _marked(text: str, length: int, keep: Literal["start", "end"]) -> str:
    if keep == "start":
        return f"{_whole_words(text[:length], text[length:])} {CUT}"
    rest = text[len(text) - length :]
    return f"{CUT} {_whole_words(rest[::-1], text[: len(text) - length][::-1])[::-1]}"


def _whole_words(kept: str, after: str) -> str:
    """``kept`` without a word that goes on in ``after``."""
    if not kept or not after or after[0].isspace() or kept[-1].isspace():
        return kept.rstrip()
    borders = [found.start() for found in _WORD_END.finditer(kept[-_LONGEST_WORD:])]
    return kept[: len(kept[:-_LONGEST_WORD]) + borders[-1]] if borders else kept
