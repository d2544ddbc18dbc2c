"""Changes of two sides to each paragraph of their base, in its order."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from penwright.domain.text.merging.units import (
    Inserted,
    Paired,
    Unit,
    entries,
    has_words,
    shown,
    split_units,
    versions,
)
from penwright.domain.text.words import split_words

_OWN_WORDS: Final = 8
"""A paragraph of so many words that stands in another file is there because it was moved."""


@dataclass(frozen=True, slots=True)
class Region:
    """One paragraph of the base, or several that a side joined; a side without units removed them."""

    base: Sequence[Unit]
    mine: Sequence[Unit]
    theirs: Sequence[Unit]
    rewritten: bool
    """Whether ``mine`` is other prose in place of a paragraph that the other side changed, too."""


@dataclass(frozen=True, slots=True)
class Added:
    """Paragraphs that the base lacks; those of both sides at one place, theirs first."""

    units: tuple[Unit, ...]


def regions(
    base: str, mine: str, theirs: str, elsewhere: Collection[str] = frozenset()
) -> Iterator[Region | Added]:
    """All paragraphs of the base with what each side made of them, and those that the sides added.

    A paragraph that one side moved is at its new place, with the other side's words.

    Args:
        elsewhere: the words (``shown``) of paragraphs of another file. What ``theirs`` lacks and stands
            there was moved there, however like it a paragraph is that ``theirs`` added.
    """
    units = split_units(base)
    one, other = _side(units, mine), _side(units, theirs, elsewhere)
    _follow_moves(units, one, other)
    _follow_moves(units, other, one)
    rewritten = _rewritten(units, one, other)
    for start, end in _stretches(len(units), one, other):
        if added := _added(one.inserted.get(start, []), other.inserted.get(start, [])):
            yield Added(added)
        if end > start:
            sides = one.within(start, end), other.within(start, end)
            yield Region(units[start:end], *sides, not rewritten.isdisjoint(range(start, end)))


@dataclass(frozen=True, slots=True)
class _Side:
    paired: dict[int, Paired]
    """By the first unit of the base."""
    inserted: dict[int, list[Unit]]
    """By the unit of the base that they are before."""
    elsewhere: frozenset[int] = frozenset()
    """The base's units that the side moved to another file."""

    def within(self, start: int, end: int) -> list[Unit]:
        """The side's units in place of the base's."""
        found: list[Unit] = []
        for at in range(start, end):
            found += self.inserted.get(at, []) if at > start else []
            found += self.paired[at].units if at in self.paired else []
        return found

    def removed(self, count: int) -> set[int]:
        """The base's units that are in nothing of this side."""
        return set(range(count)) - {at for each in self.paired.values() for at in range(each.start, each.end)}


def _side(units: Sequence[Unit], text: str, elsewhere: Collection[str] = frozenset()) -> _Side:
    side = _Side({}, {}, _gone_elsewhere(units, text, elsewhere) if elsewhere else frozenset())
    for each in entries(units, split_units(text)):
        if isinstance(each, Inserted):
            side.inserted.setdefault(each.slot, []).append(each.unit)
        elif side.elsewhere.isdisjoint(range(each.start, each.end)):
            side.paired[each.start] = each
        else:
            side.inserted.setdefault(each.start, []).extend(each.units)
    return side


def _gone_elsewhere(units: Sequence[Unit], text: str, elsewhere: Collection[str]) -> frozenset[int]:
    here = {shown(unit.text) for unit in split_units(text)}
    words = (shown(unit.text) for unit in units)
    return frozenset(
        at
        for at, each in enumerate(words)
        if each in elsewhere and each not in here and len(split_words(each)) >= _OWN_WORDS
    )


def _stretches(count: int, one: _Side, other: _Side) -> Iterator[tuple[int, int]]:
    """Stretches of the base that neither side joined with what is around them, and one empty at its end."""
    joined = {
        at for side in (one, other) for each in side.paired.values() for at in range(each.start + 1, each.end)
    }
    start = 0
    for end in range(1, count + 1):
        if end not in joined:
            yield start, end
            start = end
    yield count, count


def _added(mine: Sequence[Unit], theirs: Sequence[Unit]) -> tuple[Unit, ...]:
    """Paragraphs added at one place; what both added is there once."""
    known = {unit.text for unit in theirs}
    return (*theirs, *(unit for unit in mine if unit.text not in known))


def _follow_moves(units: Sequence[Unit], mover: _Side, other: _Side) -> None:
    """Bring what ``other`` made of a paragraph to the place to which ``mover`` moved it."""
    moved = _moved(units, mover)
    gone = other.removed(len(units)) if moved else set()
    for slot, added in mover.inserted.items() if moved else ():
        kept: list[Unit] = []
        for unit in added:
            at = moved.get(unit.text)
            if at is None or _is_as_it_was(units, at, other):
                kept.append(unit)
            elif at in gone or unit.text != units[at].text:
                # The other side removed it, or has it at a place of its own, or changed its words as well.
                mover.paired[at] = Paired(at, at + 1, (unit,))
            else:
                kept += _edited(unit, at, other)
        mover.inserted[slot] = kept


def _edited(unit: Unit, at: int, other: _Side) -> list[Unit]:
    """A moved unit with the other side's words, which are taken from their old place."""
    paired = other.paired.get(at)
    if paired is None or paired.end - paired.start > 1:
        return [unit]
    del other.paired[at]
    *before, last = paired.units
    return [*before, Unit(last.text, unit.gap, unit.last)]


def _moved(units: Sequence[Unit], side: _Side) -> dict[str, int]:
    """The base's units that a side removed at their place and has at another, by their texts there."""
    added = Counter(unit.text for row in side.inserted.values() for unit in row if has_words(unit.text))
    once = [text for text, count in added.items() if count == 1]
    there = Counter(unit.text for unit in units) if once else {}
    removed = [at for at in sorted(side.removed(len(units))) if has_words(units[at].text)] if once else []
    moved = {units[at].text: at for at in removed if units[at].text in once and there[units[at].text] == 1}
    rest = [at for at in removed if at not in moved.values() and at not in side.elsewhere]
    edited = versions([units[at].text for at in rest], [text for text in once if text not in moved])
    return moved | {text: rest[row] for row, text in edited}


def _rewritten(units: Sequence[Unit], mine: _Side, theirs: _Side) -> set[int]:
    """The base's units that ``mine`` replaced by other prose, where ``theirs`` changed them."""
    removed, gone = mine.removed(len(units)), theirs.removed(len(units))
    found: set[int] = set()
    for slot in list(mine.inserted):
        at = slot - 1
        while at in removed and at not in gone and _is_as_it_was(units, at, theirs):
            at -= 1
        is_prose = any(has_words(unit.text) for unit in mine.inserted[slot])
        if at in removed and is_prose and has_words(units[at].text):
            mine.paired[at] = Paired(at, at + 1, tuple(mine.inserted.pop(slot)))
            found.add(at)
    return found


def _is_as_it_was(units: Sequence[Unit], at: int, side: _Side) -> bool:
    paired = side.paired.get(at)
    return paired is not None and [unit.text for unit in paired.units] == [units[at].text]
