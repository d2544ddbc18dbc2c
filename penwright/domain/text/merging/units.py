"""Paragraphs of two texts paired: which are kept, edited, split or joined, and which came or went."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from penwright.domain.text.comparing.alignment import aligned
from penwright.domain.text.merging.reconcile import split
from penwright.domain.text.words import UNSPACED, without_comments

_COMMENT_LINE = re.compile(r"^[ \t]*<!--(?:(?!-->).)*-->[ \t]*$\n?", re.DOTALL | re.MULTILINE)
_TOKEN = re.compile(rf"[{UNSPACED}]|[^\W{UNSPACED}]+")
_SAME_SHARE = 0.4
"""Distinct words that two versions of one paragraph share, of the longer; unrelated prose has half
of that."""
_PART_SHARE = 0.8
_PART_WORDS = 4
"""A paragraph is a part of another from so many distinct words, and such a share of them, that it shares."""
_BAND = 40
_ALL_PAIRS = 40_000
"""Pairs of paragraphs up to which each is compared with each; beyond, with those near its own place."""


class Unit(NamedTuple):
    """A paragraph, or a line of nothing but comments, and the white space after it."""

    text: str
    gap: str
    last: bool = False
    """Whether the text ends here."""


class Paired(NamedTuple):
    """The base's units from ``start`` to ``end``, and what a side made of them."""

    start: int
    end: int
    units: tuple[Unit, ...]


class Inserted(NamedTuple):
    """A unit that a side has before the base's unit ``slot``."""

    slot: int
    unit: Unit


Entry = Paired | Inserted


def split_units(text: str) -> list[Unit]:
    """Cut a text; texts and gaps together are the text."""
    units = [unit for block in split(text) for unit in _without_comment_lines(block.text, block.gap)]
    return [*units[:-1], units[-1]._replace(last=True)] if units else []


def entries(base: Sequence[Unit], side: Sequence[Unit]) -> list[Entry]:
    """List the units of a side, paired with the base, in its order; removed units are in no entry."""
    old, new = [unit.text for unit in base], [unit.text for unit in side]
    equal = aligned(old, new)
    found: list[Entry] = []
    ends = [(-1, -1), *equal, (len(old), len(new))]
    for (one, other), (next_one, next_other) in pairwise(ends):
        if one >= 0:
            found.append(Paired(one, one + 1, (side[other],)))
        found += _between(old, side, (one + 1, next_one), (other + 1, next_other))
    return found


def versions(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, str]]:
    """Which of some paragraphs, by index, others are versions of, wherever they are; of too many none."""
    if len(old) * len(new) > _ALL_PAIRS:
        return []
    words = [_words(text) for text in old]
    scored = (
        (_likeness(each, after), at, text)
        for text in new
        for after in [_words(text)]
        for at, each in enumerate(words)
    )
    found: dict[int, str] = {}
    for _, at, text in sorted((each for each in scored if each[0] >= _SAME_SHARE), reverse=True):
        if at not in found and text not in found.values():
            found[at] = text
    return list(found.items())


def has_words(text: str) -> bool:
    """Whether a unit is prose, not a rule or a comment."""
    return bool(re.search(r"\w", text)) and not _COMMENT_LINE.fullmatch(text)


def shown(text: str) -> str:
    """The words of a passage, without comments."""
    return " ".join(without_comments(text).split())


def _without_comment_lines(text: str, gap: str) -> Iterator[Unit]:
    cuts = {0, len(text)} | {at for found in _COMMENT_LINE.finditer(text) for at in found.span()}
    for start, end in pairwise(sorted(cuts)):
        piece = text[start:end]
        plain = piece.rstrip("\n")
        yield Unit(plain, piece[len(plain) :] + (gap if end == len(text) else ""))
    if not text:
        yield Unit("", gap)


def _between(
    old: Sequence[str], side: Sequence[Unit], rows: tuple[int, int], columns: tuple[int, int]
) -> Iterator[Entry]:
    """Entries of a stretch that holds no equal units."""
    at = columns[0]
    for start, end, low, high in _components(_links(old, side, rows, columns)):
        yield from (Inserted(start, unit) for unit in side[at:low])
        yield Paired(start, end, tuple(side[low:high]))
        at = high
    yield from (Inserted(rows[1], unit) for unit in side[at : columns[1]])


def _components(links: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int, int, int]]:
    """Links that share a unit, together: a paragraph that was split, or several that were joined."""
    start = low = -1
    end = high = -1
    for one, other in links:
        if one >= end and other >= high:
            if end > start:
                yield start, end, low, high
            start, low = one, other
        end, high = one + 1, other + 1
    if end > start:
        yield start, end, low, high


def _links(
    old: Sequence[str], side: Sequence[Unit], rows: tuple[int, int], columns: tuple[int, int]
) -> list[tuple[int, int]]:
    """Pairs of similar units, none crossing another: the most similar ones first, then parts of them."""
    before = {at: _words(old[at]) for at in range(*rows)}
    after = {at: _words(side[at].text) for at in range(*columns)}
    if rows[1] - rows[0] == columns[1] - columns[0] == 1 and _few(*before.values(), *after.values()):
        # Of so few words, their place tells.
        return [(rows[0], columns[0])]
    pairs = _near(rows, columns)
    scored = ((_likeness(before[one], after[other]), one, other) for one, other in pairs)
    taken: list[tuple[int, int]] = []
    for _, one, other in sorted((each for each in scored if each[0] >= _SAME_SHARE), reverse=True):
        if all((one - row) * (other - column) > 0 for row, column in taken):
            taken.append((one, other))
    for one, other in _near(rows, columns):
        if _is_part(one, other, before, after, taken) and _is_free(one, other, taken):
            taken.append((one, other))
    return sorted(taken)


def _few(*sides: frozenset[str]) -> bool:
    return 0 < min(map(len, sides)) < _PART_WORDS


def _near(rows: tuple[int, int], columns: tuple[int, int]) -> Iterator[tuple[int, int]]:
    """All pairs, or of too many those of units near each other's place."""
    height, width = rows[1] - rows[0], columns[1] - columns[0]
    for one in range(height):
        middle = one * width // height
        band = (0, width) if height * width <= _ALL_PAIRS else (max(middle - _BAND, 0), middle + _BAND)
        yield from ((rows[0] + one, columns[0] + other) for other in range(band[0], min(band[1], width)))


def _likeness(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / max(len(one), len(other), 1)


def _is_part(
    one: int,
    other: int,
    before: Mapping[int, frozenset[str]],
    after: Mapping[int, frozenset[str]],
    taken: Sequence[tuple[int, int]],
) -> bool:
    """Whether a unit without a version is a part of the other, with words that the other's versions lack."""
    partners = (
        [column for row, column in taken if row == one],
        [row for row, column in taken if column == other],
    )
    if bool(partners[0]) == bool(partners[1]):
        return False
    if partners[0]:
        whole, part, rest = before[one], after[other], [after[at] for at in partners[0]]
    else:
        whole, part, rest = after[other], before[one], [before[at] for at in partners[1]]
    shared = len(whole & part)
    left = len((whole - frozenset().union(*rest)) & part)
    return len(part) >= _PART_WORDS and shared >= _PART_SHARE * len(part) and left >= _SAME_SHARE * len(part)


def _is_free(one: int, other: int, taken: Sequence[tuple[int, int]]) -> bool:
    return all((one - row) * (other - column) >= 0 for row, column in taken)


def _words(text: str) -> frozenset[str]:
    return frozenset(_TOKEN.findall(without_comments(text)))
