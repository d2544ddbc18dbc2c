"""Three-way merge word by word, for texts that two sides edit at the same time."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from penwright.domain.text.comparing.alignment import aligned
from penwright.domain.text.merging.reconcile import uses_crlf
from schemas.patching import Agreed, Conflicting, Disputed, Merged

_SENTENCE = re.compile(r"[^\n.!?]*(?:\n|[.!?]+ ?)|[^\n.!?]+")
"""Roughly: what is the same in both texts is recognized in such pieces first, then word by word."""
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003ffff"
)
"""Scripts without spaces between words, in which every character counts as one."""
_WORD = re.compile(rf"[{_UNSPACED}]|[^\W{_UNSPACED}]+|[ \t]+|\W")


class WordChange(NamedTuple):
    """The base's characters from ``start`` to ``end`` became ``text``."""

    start: int
    end: int
    text: str


def merge(base: str, mine: str, theirs: str) -> Merged | Conflicting:
    """Merge two descendants of ``base``.

    Changes with an unchanged word, sign or line end between them are both made, and the same change once.
    Where changes overlap, or touch but for a space, both versions come back. Line ends follow ``theirs``.
    """
    if mine in (theirs, base):
        return Merged(text=theirs)
    if theirs == base:
        return Merged(text=mine)
    base, mine, ours = (text.replace("\r\n", "\n") for text in (base, mine, theirs))
    parts = list(_parts(base, changed_words(base, mine), changed_words(base, ours)))
    if uses_crlf(theirs):
        parts = [_with_crlf(part) for part in parts]
    if any(isinstance(part, Disputed) for part in parts):
        return Conflicting(parts=tuple(parts))
    return Merged(text="".join(part.text for part in parts if isinstance(part, Agreed)))


def _with_crlf(part: Agreed | Disputed) -> Agreed | Disputed:
    """The part with its line ends as files of Windows have them."""
    texts = part.model_dump(exclude={"kind"})
    return part.model_copy(update={name: text.replace("\n", "\r\n") for name, text in texts.items()})


def changed_words(base: str, side: str) -> list[WordChange]:
    """What ``side`` changed, in order, by words; between two changes stands something unchanged."""
    changes: list[WordChange] = []
    for start, end, low, high in _unpaired(_SENTENCE.findall(base), _SENTENCE.findall(side)):
        old, new = base[start:end], side[low:high]
        for first, last, bottom, top in _unpaired(_WORD.findall(old), _WORD.findall(new)):
            change = WordChange(start + first, start + last, new[bottom:top])
            if changes and changes[-1].end == change.start:
                before = changes.pop()
                change = WordChange(before.start, change.end, before.text + change.text)
            changes.append(change)
    return changes


def _unpaired(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[int, int, int, int]]:
    """Stretches, in characters of both sides, that have no equal item on the other."""
    at = place = 0
    seen = [0, 0]
    for one, other in (*aligned(old, new), (len(old), len(new))):
        gone = sum(map(len, old[seen[0] : one]))
        come = sum(map(len, new[seen[1] : other]))
        if gone or come:
            yield at, at + gone, place, place + come
        kept = len(old[one]) if one < len(old) else 0
        at, place, seen = at + gone + kept, place + come + kept, [one + 1, other + 1]


def _parts(
    base: str, mine: Sequence[WordChange], theirs: Sequence[WordChange]
) -> Iterator[Agreed | Disputed]:
    at = 0
    for group in _groups(base, mine, theirs):
        both = [*group[0], *group[1]]
        start, end = min(each.start for each in both), max(each.end for each in both)
        versions = [_applied(base, start, end, side) for side in group]
        old = base[start:end]
        if start > at:
            yield Agreed(text=base[at:start])
        if group[0] and group[1] and versions[0] != versions[1]:
            yield Disputed(base=old, mine=versions[0], theirs=versions[1])
        else:
            yield Agreed(text=versions[0] if group[0] else versions[1])
        at = end
    if at < len(base):
        yield Agreed(text=base[at:])


def _groups(
    base: str, mine: Sequence[WordChange], theirs: Sequence[WordChange]
) -> Iterator[tuple[list[WordChange], list[WordChange]]]:
    """Changes of both sides that touch or overlap, together."""
    marked = sorted([(*each[:2], 0, each) for each in mine] + [(*each[:2], 1, each) for each in theirs])
    group: tuple[list[WordChange], list[WordChange]] = ([], [])
    reach = -1
    for start, end, side, change in marked:
        # Neighbouring words changed by two people seldom make a sentence.
        if reach >= 0 and base[reach:start].strip(" \t"):
            yield group
            group = ([], [])
        reach = max(reach, end)
        group[side].append(change)
    if reach >= 0:
        yield group


def _applied(base: str, start: int, end: int, changes: Iterable[WordChange]) -> str:
    pieces = []
    for change in changes:
        pieces += [base[start : change.start], change.text]
        start = change.end
    return "".join([*pieces, base[start:end]])
