"""Three-way merge of texts that two sides edit at the same time: by paragraphs, and word by word inside them.

Only words that both sides changed are in dispute. A paragraph that one side removed or moved follows that
side, unless the other changed its words; paragraphs that both added at one place are both kept.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from penwright.domain.text.comparing.alignment import aligned
from penwright.domain.text.merging.reconcile import uses_crlf
from penwright.domain.text.merging.regions import Added, Region, regions
from penwright.domain.text.merging.units import Unit
from penwright.domain.text.words import UNSPACED
from schemas.patching import Agreed, Conflicting, Disputed, Merged

_SENTENCE = re.compile(r"[^\n.!?。！？]*(?:\n|[.!?。！？]+ ?)|[^\n.!?。！？]+")
"""Roughly: what is the same in both texts is recognized in such pieces first, then word by word."""
_WORD = re.compile(rf"[{UNSPACED}]|[^\W{UNSPACED}]+|[ \t]+|\W")


Part = Agreed | Disputed


class _Piece(NamedTuple):
    """A paragraph of the merge."""

    parts: tuple[Part, ...]
    gap: str
    last: bool
    """Whether its text ended with it."""


class WordChange(NamedTuple):
    """The base's characters from ``start`` to ``end`` became ``text``."""

    start: int
    end: int
    text: str


def merge(
    base: str, mine: str, theirs: str, elsewhere: Collection[str] = frozenset()
) -> Merged | Conflicting:
    """Merge two descendants of ``base``.

    Changes with an unchanged word, sign or line end between them are both made, and the same change once.
    Where changes overlap, or touch but for a space, both versions come back. Line ends follow ``theirs``.
    ``elsewhere``: see ``regions``.
    """
    if mine in (theirs, base):
        return Merged(text=theirs)
    if theirs == base:
        return Merged(text=mine)
    base, mine, ours = (text.replace("\r\n", "\n") for text in (base, mine, theirs))
    pieces = [piece for region in regions(base, mine, ours, elsewhere) for piece in _pieces(region)]
    parts = _joined(pieces)
    if uses_crlf(theirs):
        parts = [_changed(part, lambda text: text.replace("\n", "\r\n")) for part in parts]
    if any(isinstance(part, Disputed) for part in parts):
        return Conflicting(parts=tuple(parts))
    return Merged(text="".join(part.text for part in parts if isinstance(part, Agreed)))


def _pieces(region: Region | Added) -> Iterator[_Piece]:
    if isinstance(region, Added):
        yield from (_Piece((Agreed(text=unit.text),), unit.gap, unit.last) for unit in region.units)
        return
    base, mine, theirs = (_text(side) for side in (region.base, region.mine, region.theirs))
    if region.mine and region.theirs and not region.rewritten:
        changes = changed_words(base, mine), changed_words(base, theirs)
        yield _Piece(tuple(_parts(base, *changes)), *_gap(region))
    elif region.rewritten or (region.mine and mine != base) or (region.theirs and theirs != base):
        yield _Piece((Disputed(base=base, mine=mine, theirs=theirs),), *_gap(region))


def _text(units: Sequence[Unit]) -> str:
    """The units without the white space after the last."""
    return "".join(unit.text + unit.gap for unit in units[:-1]) + (units[-1].text if units else "")


def _gap(region: Region) -> tuple[str, bool]:
    """The white space after a region, of the side that changed it, and whether that side ends there."""
    before = region.base[-1]
    ends = [side[-1] for side in (region.mine, region.theirs) if side and side[-1].gap != before.gap]
    chosen = max(ends, key=lambda unit: len(unit.gap), default=before)
    return chosen.gap, chosen.last


def _joined(pieces: Sequence[_Piece]) -> list[Part]:
    """All parts in order; a text that one side ended is divided from what the other goes on with."""
    parts: list[Part] = []
    for at, piece in enumerate(pieces):
        gap = piece.gap
        if at < len(pieces) - 1 and (piece.last or "\n" not in gap):
            gap += "\n" * (2 - gap.count("\n")) if _text_of(piece) else ""
        elif at == len(pieces) - 1 and not piece.last and "\n" in gap:
            gap = "\n"
        parts += _with_gap(piece.parts, gap)
    return list(_compact(parts))


def _text_of(piece: _Piece) -> bool:
    return any(isinstance(part, Disputed) or part.text for part in piece.parts)


def _with_gap(parts: Sequence[Part], gap: str) -> Iterator[Part]:
    """The parts of a paragraph and the gap, which goes with it where one side removed it."""
    only = parts[0] if len(parts) == 1 else None
    if isinstance(only, Disputed) and not (only.mine and only.theirs):
        yield _changed(only, lambda text: text + gap if text else "")
    else:
        yield from (*parts, Agreed(text=gap))


def _compact(parts: Iterable[Part]) -> Iterator[Part]:
    """Neighbouring agreed parts as one."""
    agreed = ""
    for part in parts:
        if isinstance(part, Agreed):
            agreed += part.text
            continue
        if agreed:
            yield Agreed(text=agreed)
        agreed = ""
        yield part
    if agreed:
        yield Agreed(text=agreed)


def _changed(part: Part, change: Callable[[str], str]) -> Part:
    texts = part.model_dump(exclude={"kind"})
    return part.model_copy(update={name: change(text) for name, text in texts.items()})


def changed_words(base: str, side: str) -> list[WordChange]:
    """List the changes of ``side``, in order, by words; between two changes stands something unchanged."""
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


def _parts(base: str, mine: Sequence[WordChange], theirs: Sequence[WordChange]) -> Iterator[Part]:
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
