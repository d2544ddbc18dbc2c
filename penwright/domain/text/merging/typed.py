"""Stretches of a text that one person typed and that still stand, followed through later changes."""

from collections.abc import Iterable, Iterator
from itertools import chain

from penwright.domain.text.merging.changesets import parts_of, units
from penwright.domain.text.words import comments, split_words
from schemas.drafts import ChangeSet, DraftChange

Spans = tuple[tuple[int, int], ...]
"""From unit to unit of a text, in UTF-16, in its order and apart from each other."""


def words_typed(text: str, changes: Iterable[DraftChange], who: str) -> int:
    """The words of ``text`` that ``who`` typed in these changes, the last of which made it.

    A word counts if its first character was typed then; comments, such as notes for the writer, do not.
    """
    spans: Spans = ()
    for change in changes:
        spans = after(spans, change.changes, typed=change.kind == "person" and change.author == who)
    return sum(_words(text, spans))


def after(spans: Spans, changes: ChangeSet, *, typed: bool) -> Spans:
    """Move the stretches through a change; ``typed``: what it inserts is one of them."""
    found: list[tuple[int, int]] = []
    old = new = 0
    for kept, dropped, inserted in parts_of(changes):
        found += _moved(spans, old, old + kept, new - old)
        old, new = old + kept + dropped, new + kept
        if inserted:
            end = new + units(inserted)
            if typed:
                found.append((new, end))
            new = end
    return tuple(_joined(found))


def _moved(spans: Spans, start: int, end: int, by: int) -> Iterator[tuple[int, int]]:
    for first, last in spans:
        if first < end and last > start:
            yield max(first, start) + by, min(last, end) + by


def _joined(spans: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    start = end = -1
    for first, last in chain(spans, ((-2, -2),)):
        if first == end:
            end = last
            continue
        if end > start:
            yield start, end
        start, end = first, last


def _words(text: str, spans: Spans) -> Iterator[int]:
    """The words that begin in each stretch."""
    encoded = _blanked(text).encode("utf-16-le", "surrogatepass")
    for start, end in spans:
        before = encoded[2 * start - 2 : 2 * start].decode("utf-16-le", "replace") or " "
        there = encoded[2 * start : 2 * end].decode("utf-16-le", "replace")
        yield len(split_words(there)) - (split_words(before + there[:1]) == [before + there[:1]])


def _blanked(text: str) -> str:
    """The text with as many spaces where its comments stand."""
    kept, at = [], 0
    for start, end in comments(text):
        kept += [text[at:start], " " * units(text[start:end])]
        at = end
    return "".join((*kept, text[at:]))
