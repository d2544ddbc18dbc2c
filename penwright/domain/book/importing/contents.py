"""Lists of contents: their entries look like headings and are none."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from penwright.domain.book.importing.plain_headings import CONTENTS_TITLE, blocks, key_of
from penwright.domain.book.importing.values import Candidate

_PAGE = re.compile(r"(?:[\s.·…_]{2,}|\t)(?:\d{1,4}|[ivxlc]{1,7})\s*$")
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_ENOUGH = 0.8
"""This share of a list's entries must occur again as headings."""


@dataclass(frozen=True, slots=True)
class Sorted:
    """Candidates, sorted: what heads a text, what a list of contents names, what has no text after it."""

    headings: tuple[Candidate, ...]
    empty: tuple[Candidate, ...]


def sort_out(lines: Sequence[str], found: Sequence[Candidate]) -> Sorted:
    """Separate headings from entries of contents. A part may be followed by a chapter at once."""
    bodies = _bodies(lines, found)
    entries = _entries(found, bodies)
    kept = [index for index in range(len(found)) if index not in entries]
    last = max((index for index in kept if bodies[index]), default=-1)
    heads = [index for index in kept if bodies[index] or (found[index].kind == "part" and index < last)]
    rest = sorted(set(kept) - set(heads))
    return Sorted(tuple(found[index] for index in heads), tuple(found[index] for index in rest))


def listed_headings(lines: Sequence[str]) -> list[Candidate]:
    """Return the paragraphs of one line that an entry of a list of contents names, in text order.

    The list begins after a line such as ``CONTENTS`` and ends where its first entry occurs again.
    """
    singles = [first for first, end in blocks(lines) if end == first + 1]
    begin = next((first for first in singles if CONTENTS_TITLE.fullmatch(lines[first])), None)
    if begin is None:
        return []
    keys = {first: key_of(lines[first]) for first in singles if first > begin}
    wanted, start = _listed(lines, begin, keys)
    return [
        Candidate(first, first + 1, lines[first].strip(), "section", key)
        for first, key in keys.items()
        if first >= start and key in wanted
    ]


def _listed(lines: Sequence[str], begin: int, keys: Mapping[int, str]) -> tuple[set[str], int]:
    """Return the entries of the list after line ``begin``, and the line where the first occurs again.

    An entry is a line whose words are a later paragraph too.
    """
    last_place = {key: first for first, key in keys.items()}
    entries: list[str] = []
    for index in range(begin + 1, len(lines)):
        key = key_of(_LINK.sub(r"\1", _PAGE.sub("", lines[index])))
        if entries and key == entries[0]:
            return set(entries), index
        if key and last_place.get(key, -1) > index:
            entries.append(key)
    return set(), len(lines)


def _bodies(lines: Sequence[str], found: Sequence[Candidate]) -> list[bool]:
    """Return for each candidate whether text follows before the next one."""
    starts = [*(each.first for each in found), len(lines)]
    return [
        any(line.strip() for line in lines[each.end : following])
        for each, following in zip(found, starts[1:], strict=True)
    ]


def _entries(found: Sequence[Candidate], bodies: Sequence[bool]) -> set[int]:
    """Return the indexes of entries: a run without text between them, which headings repeat later.

    Whatever stands between the list and the first chapter seems to be the text of its last entry.
    """
    last_place = {each.key: index for index, each in enumerate(found)}
    entries: set[int] = set()
    begin = 0
    while begin < len(found):
        end = begin
        while end < len(found) and not bodies[end]:
            end += 1
        run = [each for each in found[begin:end] if each.kind != "part"]
        one_more = end < len(found) and last_place[found[end].key] > end
        repeated = sum(last_place[each.key] >= end for each in run)
        if len(run) + one_more > 1 and repeated >= max(1, _ENOUGH * len(run)):
            entries |= set(range(begin, end + one_more))
        begin = end + 1
    return entries
