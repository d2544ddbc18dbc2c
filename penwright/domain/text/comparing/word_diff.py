"""Differences between two versions of a passage, word by word."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

from penwright.domain.text.words import UNSPACED

_TOKEN = re.compile(
    rf"[{UNSPACED}]|[^\W{UNSPACED}]+|\s+|.",
    re.DOTALL,
)
_ALIKE = 0.3
"""Passages with less in common are shown as two blocks: marks in single words would be confetti."""
_LONGEST = 20_000
"""Characters; longer passages are compared as wholes."""


@dataclass(frozen=True, slots=True)
class Change:
    """One stretch of a comparison."""

    kind: Literal["same", "removed", "added"]
    text: str


def word_diff(before: str, after: str) -> tuple[Change, ...]:
    """The stretches of both texts in reading order; those that are not ``added`` give ``before``."""
    if before == after:
        return (Change("same", after),) if after else ()
    if len(before) + len(after) > _LONGEST:
        return _whole(before, after)
    old, new = _TOKEN.findall(before), _TOKEN.findall(after)
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    if before and after and _shared(matcher, old) < _ALIKE * max(_visible(old), _visible(new)):
        return _whole(before, after)
    return tuple(_changes(matcher, old, new))


def _shared(matcher: SequenceMatcher[str], old: list[str]) -> int:
    return sum(_visible(old[each.a : each.a + each.size]) for each in matcher.get_matching_blocks())


def _visible(tokens: list[str]) -> int:
    """Characters that are no white space."""
    return sum(len(token) for token in tokens if not token.isspace())


def _whole(before: str, after: str) -> tuple[Change, ...]:
    found = (Change("removed", before), Change("added", after))
    return tuple(each for each in found if each.text)


def _changes(matcher: SequenceMatcher[str], old: list[str], new: list[str]) -> Iterator[Change]:
    for kind, first, last, start, end in matcher.get_opcodes():
        if kind == "equal":
            yield Change("same", "".join(old[first:last]))
            continue
        if last > first:
            yield Change("removed", "".join(old[first:last]))
        if end > start:
            yield Change("added", "".join(new[start:end]))
